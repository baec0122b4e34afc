// A search of the position that is shown, for as long as it is shown.
import { useEffect, useState } from "preact/hooks";
import { type Backend, type Line, patiently } from "./backend";
import type { Analysis } from "./picture";
import { messageOf } from "./use_message";

interface Thoughts {
  analysis: Analysis | null;
  running: boolean;
  message: string;
}

const NOTHING: Thoughts = { analysis: null, running: false, message: "" };

/** `seconds`: of each position; 0: no search. `again` searches once more, after an error. */
export function useAnalysis(
  backend: Backend,
  line: Line | null,
  model: string | null,
  seconds: number,
  ownership: boolean,
): Thoughts & { again: () => void } {
  const [thoughts, setThoughts] = useState(NOTHING);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    setThoughts(NOTHING);
    if (!line || !model || seconds <= 0) return;
    const leave = new AbortController();
    // Moves that follow each other quickly need no search each.
    const timer = setTimeout(() => {
      setThoughts({ ...NOTHING, running: true });
      const report = (analysis: Analysis) => !leave.signal.aborted && setThoughts({ analysis, running: true, message: "" });
      const search = () => backend.analyze(line, model, { seconds, lines: 3, ownership }, report, leave.signal);
      patiently(search, leave.signal, (why) => setThoughts({ ...NOTHING, running: true, message: why })).then(
        (analysis) => !leave.signal.aborted && setThoughts({ analysis, running: false, message: "" }),
        (error) => !leave.signal.aborted && setThoughts({ ...NOTHING, message: messageOf(error) }),
      );
    }, 60);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [backend, line, model, seconds, ownership, attempt]);
  return { ...thoughts, again: () => setAttempt(attempt + 1) };
}
