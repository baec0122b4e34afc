// The one message of a game, and why the page has to ask again, which is said for as long as it asks.
import { useRef, useState } from "preact/hooks";

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type Words = ReturnType<typeof useMessage>;

export function useMessage() {
  const [message, say] = useState("");
  const reason = useRef("");
  /** The page waits, and asks again. */
  const wait = (why: string) => {
    reason.current = why;
    say(why);
  };
  /** It need not ask again any more. */
  const answered = () => {
    const why = reason.current;
    reason.current = "";
    if (why) say((now) => (now === why ? "" : now));
  };
  /** What was said is about something before. Why the page has to ask again stays. */
  const hush = () => say((now) => (now === reason.current ? now : ""));
  return { message, say, wait, answered, hush };
}
