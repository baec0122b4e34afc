// The moves of players that are no persons: whoever is to move is asked for one.
import { useEffect, useState } from "preact/hooks";
import { type Backend, type Choice, type Line, patiently } from "./backend";
import type { Sitter } from "./seats";
import { messageOf, type Words } from "./use_message";

interface ChooserProps {
  backend: Backend;
  line: Line;
  /** The line that the page is to show. */
  latest: { readonly current: Line };
  /** The seat that is to move at the line's end; null where nobody is. */
  mover: number | null;
  sitters: Sitter[];
  words: Words;
  onChoice: (choice: Choice, seat: number) => void;
}

/** What comes back is a GameState's. */
export function useChooser({ backend, line, latest, mover, sitters, words, onChoice }: ChooserProps) {
  const { say, wait, answered } = words;
  const [waiting, setWaiting] = useState(false);
  const [refused, setRefused] = useState(false);
  const sitter = mover === null ? null : (sitters[mover] ?? null);
  useEffect(() => {
    setRefused(false);
    if (!sitter || mover === null) return;
    const leave = new AbortController();
    const waits = (why: string) => {
      setWaiting(true);
      wait(why);
    };
    patiently(() => backend.choose(line, sitter, leave.signal), leave.signal, waits)
      .then((choice) => {
        if (latest.current !== line) return;
        answered();
        onChoice(choice, mover);
      })
      .catch((error) => {
        if (leave.signal.aborted || latest.current !== line) return;
        setRefused(true);
        say(messageOf(error));
      })
      .finally(() => leave.signal.aborted || setWaiting(false));
    return () => {
      leave.abort();
      setWaiting(false);
      answered();
    };
  }, [backend, line, sitter, mover]);
  return { thinking: sitter && !refused ? mover : null, waiting, refused };
}
