import { useEffect, useState } from "preact/hooks";

/** Aborted when the part of the page that asks for it is taken away, as a form by "Cancel". */
export function useLeave(): AbortSignal {
  const [leave] = useState(() => new AbortController());
  useEffect(() => () => leave.abort(), []);
  return leave.signal;
}
