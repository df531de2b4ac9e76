/** Times in words. Not by `Intl`, which takes a slow phone a tenth of a second to load. */

export type TimeUnit = "year" | "month" | "day" | "hour" | "minute" | "second";

const short: Readonly<Record<TimeUnit, string>> = {
  year: "yr.",
  month: "mo.",
  day: "day",
  hour: "hr.",
  minute: "min.",
  second: "sec.",
};
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @param count below zero for what has passed. */
export function relativeWords(count: number, unit: TimeUnit): string {
  const size = Math.abs(count);
  const words = `${size} ${unit === "day" && size !== 1 ? "days" : short[unit]}`;
  return count < 0 ? `${words} ago` : `in ${words}`;
}

/** A day and a time of the reader's clock, with its distance from UTC: "22 Nov 2026, 14:05:09 UTC+3". */
export function exactWords(time: Date): string {
  if (Number.isNaN(time.getTime())) return "";
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(padded).join(":");
  return `${dayWords(time.getDate(), time.getMonth(), time.getFullYear())}, ${clock} ${zone(-time.getTimezoneOffset())}`;
}

/** A time of the reader's clock: "10:42". */
export function clockWords(time: Date): string {
  return `${padded(time.getHours())}:${padded(time.getMinutes())}`;
}

/** A day of UTC: "22 Nov 2026". */
export function utcDayWords(time: Date): string {
  return dayWords(time.getUTCDate(), time.getUTCMonth(), time.getUTCFullYear());
}

/** A day of UTC with its weekday: "Sun, Nov 22". */
export function utcWeekdayWords(time: Date): string {
  return `${weekdays[time.getUTCDay()] ?? ""}, ${months[time.getUTCMonth()] ?? ""} ${time.getUTCDate()}`;
}

function dayWords(day: number, month: number, year: number): string {
  return `${day} ${months[month] ?? ""} ${year}`;
}

/** @param minutes east of UTC. */
function zone(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  if (minutes === 0) return "UTC";
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${padded(rest)}`}`;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
