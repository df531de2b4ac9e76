/** Times in words. */

const month = formatOf({ month: "short" });
const monthOfUtc = formatOf({ month: "short", timeZone: "UTC" });
const weekdayOfUtc = formatOf({
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** A day and a time of the reader's clock, with its distance from UTC: "22 Nov 2026, 14:05:09 UTC+3". */
export function exactWords(time: Date): string {
  if (Number.isNaN(time.getTime())) return "";
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(padded).join(":");
  const day = `${time.getDate()} ${month(time)} ${time.getFullYear()}`;
  return `${day}, ${clock} ${zone(-time.getTimezoneOffset())}`;
}

/** A time of the reader's clock: "10:42". */
export function clockWords(time: Date): string {
  return `${padded(time.getHours())}:${padded(time.getMinutes())}`;
}

/** A day of UTC: "22 Nov 2026". */
export function utcDayWords(time: Date): string {
  return `${time.getUTCDate()} ${monthOfUtc(time)} ${time.getUTCFullYear()}`;
}

/** A day of UTC with its weekday: "Sun, Nov 22". */
export function utcWeekdayWords(time: Date): string {
  return weekdayOfUtc(time);
}

/** @param minutes east of UTC. */
function zone(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  if (minutes === 0) return "UTC";
  return `UTC${minutes < 0 ? "-" : "+"}${hours}${rest === 0 ? "" : `:${padded(rest)}`}`;
}

/** Created on first use: the first one of a page loads the browser's language data. */
function formatOf(options: Intl.DateTimeFormatOptions): (time: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat("en", options);
    return format.format(time);
  };
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
