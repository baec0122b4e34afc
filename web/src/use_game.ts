// One game on the page: its line of moves, its position, and the players that are no persons, who move by themselves.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Line } from "./backend";
import { BackendError } from "./backend";
import type { Picture } from "./picture";
import type { Sitter } from "./seats";

export interface GameState {
  line: Line;
  sitters: Sitter[];
  picture: Picture | null;
  /** The seat whose player is choosing. */
  thinking: number | null;
  /** The seat that gave the game up. */
  resigned: number | null;
  message: string;
}

export interface GameActions {
  begin(line: Line, sitters: Sitter[]): void;
  /** Plays an action by its name; false where it was refused. */
  play(text: string): Promise<boolean>;
  goTo(ply: number): void;
  undo(): void;
  redo(): void;
  seat(seat: number, sitter: Sitter): void;
  say(message: string): void;
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Waits for a slot where all are taken. */
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof BackendError && error.busy) || signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
      signal.throwIfAborted();
    }
  }
}

export function useGame(backend: Backend, first: Line, firstSitters: Sitter[]): [GameState, GameActions] {
  const [line, setLine] = useState(first);
  const [sitters, setSitters] = useState(firstSitters);
  const [picture, setPicture] = useState<Picture | null>(null);
  const [thinking, setThinking] = useState<number | null>(null);
  const [resigned, setResigned] = useState<number | null>(null);
  const [message, setMessage] = useState("");
  const shown = useRef<Line | null>(null);

  // The position of the line.
  useEffect(() => {
    if (shown.current === line) return;
    const leave = new AbortController();
    backend.position(line, leave.signal).then(
      (next) => {
        shown.current = line;
        setPicture(next);
      },
      (error) => isAbort(error) || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, line]);

  // A player that is no person moves where the game goes on; among moves that were taken back it waits.
  const atEnd = line.ply === line.moves.length;
  const current = picture && shown.current === line ? picture : null;
  const mover = current?.mover ?? null;
  const sitter = mover === null ? null : (sitters[mover] ?? null);
  useEffect(() => {
    if (!sitter || mover === null || !atEnd || resigned !== null) return;
    const leave = new AbortController();
    setThinking(mover);
    patiently(() => backend.choose(line, sitter, leave.signal), leave.signal)
      .then((choice) => {
        if (choice.resigns) setResigned(mover);
        else setLine({ ...line, moves: [...line.moves, choice.text], ply: line.ply + 1 });
      })
      .catch((error) => isAbort(error) || setMessage(messageOf(error)))
      .finally(() => !leave.signal.aborted && setThinking(null));
    return () => {
      leave.abort();
      setThinking(null);
    };
  }, [backend, line, current, sitter, mover, atEnd, resigned]);

  const begin = useCallback((next: Line, nextSitters: Sitter[]) => {
    shown.current = null;
    setPicture(null);
    setLine(next);
    setSitters(nextSitters);
    setResigned(null);
    setMessage("");
  }, []);

  const goTo = (ply: number) => {
    if (ply < 0 || ply > line.moves.length || ply === line.ply) return;
    setMessage("");
    setResigned(null);
    setLine({ ...line, ply });
  };

  // Back to where a person is to move, so that nobody answers at once.
  const stepTo = (direction: 1 | -1) => {
    const moves = picture?.moves ?? [];
    let ply = line.ply + direction;
    const persons = (at: number) => at >= moves.length || !sitters[moves[at]!.seat];
    while (ply > 0 && ply < line.moves.length && !persons(ply)) ply += direction;
    goTo(ply);
  };

  const play = async (text: string): Promise<boolean> => {
    const before = { ...line, moves: line.moves.slice(0, line.ply) };
    try {
      const answer = await backend.play(before, text);
      if ("refusal" in answer) {
        const { message: why, nearest } = answer.refusal;
        setMessage(nearest ? `${why}; did you mean ${nearest}?` : why);
        return false;
      }
      const played = answer.picture.last!.text;
      const next = { ...before, moves: [...before.moves, played], ply: before.ply + 1 };
      shown.current = next;
      setMessage("");
      setResigned(null);
      setPicture(answer.picture);
      setLine(next);
      return true;
    } catch (error) {
      setMessage(messageOf(error));
      return false;
    }
  };

  const state = { line, sitters, picture, thinking, resigned, message };
  const actions = {
    begin,
    play,
    goTo,
    undo: () => stepTo(-1),
    redo: () => stepTo(1),
    seat: (seat: number, next: Sitter) => setSitters(sitters.map((old, i) => (i === seat ? next : old))),
    say: setMessage,
  };
  return [state, actions];
}
