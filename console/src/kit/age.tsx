/** A time, shown by its age ("2 min ago", "in 3 h") and exactly on hover and to assistive technology; it updates automatically. */
import { useEffect, useState } from "react";
import { exactWords } from "../texts/time.ts";
import { relativeTime } from "./relative-time.ts";

/** Milliseconds: ages of seconds change each second, others twice a minute. */
const SECOND = 1_000;
const HALF_MINUTE = 30_000;

/** @param at ISO 8601, or milliseconds since 1970. */
export function Age({ at }: { readonly at: string | number }) {
  const time = new Date(at).getTime();
  const [now, setNow] = useState(Date.now);
  const isRecent = Math.abs(now - time) < 2 * HALF_MINUTE;
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), isRecent ? SECOND : HALF_MINUTE);
    return () => clearInterval(timer);
  }, [isRecent]);
  if (Number.isNaN(time)) return <span>{String(at)}</span>;
  return (
    <time className="age" dateTime={new Date(time).toISOString()} title={exactTime(time)}>
      {relativeTime(time, Math.max(now, Date.now()))}
    </time>
  );
}

/** The exact time in words, for a sentence. */
export function exactTime(at: string | number): string {
  return exactWords(new Date(at));
}

/** The exact time in words, next to its age or instead of it. */
export function ExactTime({ at }: { readonly at: string | number }) {
  const time = new Date(at);
  return <time dateTime={time.toISOString()}>{exactWords(time)}</time>;
}
