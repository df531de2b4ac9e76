/** The timezone of a run: an IANA name from any source. */

/** The first given name, such as the body's before the header's; `UTC` for a name that does not exist. */
export function timezoneOf(...given: readonly (string | undefined)[]): string | undefined {
  const name = given.map((text) => text?.trim()).find((text) => text !== undefined && text !== "");
  return name === undefined || isTimezone(name) ? name : "UTC";
}

/** IANA names only: the engine also accepts offsets such as `+02:00`, which have no summer time. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
