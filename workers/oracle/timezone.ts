/** The user's timezone for a turn (contract/oracle.md section 1): the body's, else the header's, else none. */
export function timezoneOf(fromBody: string | undefined, fromHeader: string | null): string | undefined {
  const name = [fromBody, fromHeader].map((text) => text?.trim()).find((text) => text !== undefined && text !== "");
  if (name === undefined) return undefined;
  return isTimezone(name) ? name : "UTC";
}

/** IANA names only: the engine also takes offsets such as `+02:00`, which name no place and know no summer time. */
function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
