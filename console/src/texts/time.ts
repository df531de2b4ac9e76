/** Times in words. */

const month = new Intl.DateTimeFormat("en", { month: "short" });
const monthOfUtc = new Intl.DateTimeFormat("en", { month: "short", timeZone: "UTC" });
const weekdayOfUtc = new Intl.DateTimeFormat("en", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** A day and a time of the reader's clock, with its distance from UTC: "22 Nov 2026, 14:05:09 UTC+3". */
export function exactWords(time: Date): string {
  if (Number.isNaN(time.getTime())) return "";
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(padded).join(":");
  const day = `${time.getDate()} ${month.format(time)} ${time.getFullYear()}`;
  return `${day}, ${clock} ${zone(-time.getTimezoneOffset())}`;
}

/** A time of the reader's clock: "10:42". */
export function clockWords(time: Date): string {
  return `${padded(time.getHours())}:${padded(time.getMinutes())}`;
}

/** A day of UTC: "22 Nov 2026". */
export function utcDayWords(time: Date): string {
  return `${time.getUTCDate()} ${monthOfUtc.format(time)} ${time.getUTCFullYear()}`;
}

/** A day of UTC with its weekday: "Sun, Nov 22". */
export function utcWeekdayWords(time: Date): string {
  return weekdayOfUtc.format(time);
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
