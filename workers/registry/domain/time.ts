/** Times of a record: RFC 3339 on input, RFC 3339 in UTC on output. */
export interface Instant {
  /** The text in responses: unchanged if it was sent in UTC, otherwise converted. */
  readonly text: string;
  /** Unix milliseconds, used in comparisons. Further digits are cut. */
  readonly milliseconds: number;
}

const form = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)?)?$/;
/** A time in JSON Schema, which cannot check that the day and the hour exist. */
export const timeForm = { pattern: form.source };
/** Like `timeForm`, with the surrounding spaces that a domain's members may have. */
export const spacedTimeForm = { pattern: form.source.replace("^", String.raw`^\s*`).replace(/\$$/, String.raw`\s*$`) };

/** The first and the last instant that a record may name: years 1970 to 9999, in UTC. */
const EARLIEST = 0;
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A date-time, or a date alone (midnight). Without a zone it is UTC. Undefined for an impossible time, such as 30
 * February or second 60, and for years outside 1970 to 9999.
 */
export function parseTime(text: string): Instant | undefined {
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = ""] =
    form.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second), Number(fraction.padEnd(3, "0").slice(0, 3)));
  const milliseconds = date.getTime();
  if (milliseconds < EARLIEST || milliseconds > LATEST) return undefined;
  return { milliseconds, text: zone === "Z" && text.charAt(10) === "T" ? text : printTime(milliseconds) };
}

/** Minutes that a zone is ahead of UTC; undefined for an impossible zone. */
function offsetMinutes(zone: string): number | undefined {
  if (zone === "" || zone === "Z" || zone === "z") return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(":").map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/** `YYYY-MM-DDTHH:MM:SSZ`, with a fraction only if it is not zero. */
export function printTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(".000Z", "Z");
}

/** Reads a time that this registry wrote. */
export function millisecondsOf(text: string): number {
  const instant = parseTime(text);
  if (instant === undefined) throw new Error("a stored time is not valid");
  return instant.milliseconds;
}
