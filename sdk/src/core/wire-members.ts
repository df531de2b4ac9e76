/** What came over the wire, looked at before it is believed: a member of a wrong type would break the page that shows it. */

type Members = Record<string, unknown>;

/** Members that may be missing, and that are shown or added up as texts when they are there. */
const POSSIBLE_TEXTS = ["output", "error", "agent", "partialText", "timestamp", "kind", "code", "requestId", "eventId"];

export function hasTexts(members: Members, names: readonly string[]): boolean {
  return names.every((name) => typeof members[name] === "string");
}

/** Takes out what should be a text and is none. */
export function dropWrongTexts(members: Members): void {
  for (const name of POSSIBLE_TEXTS) if (typeof members[name] !== "string") delete members[name];
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
