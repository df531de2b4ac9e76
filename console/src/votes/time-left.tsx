/** What is left of a time, counting down: every second in the last hour, twice a minute before. */
import { useEffect, useState } from "react";
import { exactTime } from "../kit/age.tsx";
import { timeLeftIn } from "./durations.ts";

/** Milliseconds. */
const SECOND = 1_000;
const HALF_MINUTE = 30_000;
const HOUR = 3_600_000;

/** @param until ISO 8601. */
export function TimeLeft({ until }: { readonly until: string }) {
  const end = Date.parse(until);
  const [now, setNow] = useState(Date.now);
  const isNear = end - now < HOUR;
  const isOver = end <= now;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), isNear ? SECOND : HALF_MINUTE);
    return () => clearInterval(timer);
  }, [isNear, isOver]);
  return (
    <time className="nowrap" dateTime={until} title={exactTime(until)}>
      {isOver ? "time is over, counting" : `${timeLeftIn(end - now)} left`}
    </time>
  );
}
