// A search of the position that is shown, for as long as it is shown.
import { useEffect, useState } from "preact/hooks";
import type { Backend, Line } from "./backend";
import type { Analysis } from "./picture";

export interface Thoughts {
  analysis: Analysis | null;
  running: boolean;
  message: string;
}

const NOTHING: Thoughts = { analysis: null, running: false, message: "" };

/** `seconds`: of each position; 0: no search. */
export function useAnalysis(
  backend: Backend,
  line: Line | null,
  model: string | null,
  seconds: number,
  ownership: boolean,
): Thoughts {
  const [thoughts, setThoughts] = useState(NOTHING);
  useEffect(() => {
    setThoughts(NOTHING);
    if (!line || !model || seconds <= 0) return;
    const leave = new AbortController();
    // Moves that follow each other quickly need no search each.
    const timer = setTimeout(() => {
      setThoughts({ ...NOTHING, running: true });
      const report = (analysis: Analysis) => !leave.signal.aborted && setThoughts({ analysis, running: true, message: "" });
      backend.analyze(line, model, { seconds, lines: 3, ownership }, report, leave.signal).then(
        (analysis) => !leave.signal.aborted && setThoughts({ analysis, running: false, message: "" }),
        (error) => !leave.signal.aborted && setThoughts({ ...NOTHING, message: (error as Error).message }),
      );
    }, 60);
    return () => {
      clearTimeout(timer);
      leave.abort();
    };
  }, [backend, line, model, seconds, ownership]);
  return thoughts;
}
