// The position of a line of moves.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Backend, isAbort, type Line, patiently } from "./backend";
import type { Picture } from "./picture";
import { messageOf, type Words } from "./use_message";

/** `latest`: the line that the page is to show. Of what comes back `picture` is the last that came, null before the
 * first, and `current` the same where it is the line's; `show` says what is known of a line already. */
export function usePosition(
  backend: Backend,
  line: Line,
  latest: { readonly current: Line },
  { say, wait, answered }: Words,
) {
  const [picture, setPicture] = useState<Picture | null>(null);
  const shown = useRef<Line | null>(null);
  const show = (of: Line, next: Picture) => {
    shown.current = of;
    setPicture(next);
  };
  useEffect(() => {
    if (shown.current === line) return;
    const leave = new AbortController();
    patiently(() => backend.position(line, leave.signal), leave.signal, wait).then(
      (next) => {
        if (latest.current !== line) return;
        show(line, next);
        answered();
      },
      (error) => isAbort(error) || say(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend, line]);
  return { picture, current: picture && shown.current === line ? picture : null, show };
}
