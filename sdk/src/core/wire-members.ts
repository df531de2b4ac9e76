/** Validates data from the wire before use, because a member with a wrong type would break the page that shows it. */

type Members = Record<string, unknown>;

/** Optional members that are shown or concatenated as texts. */
const POSSIBLE_TEXTS = ["output", "error", "agent", "partialText", "timestamp", "kind", "code", "requestId", "eventId"];

export function hasTexts(members: Members, names: readonly string[]): boolean {
  return names.every((name) => typeof members[name] === "string");
}

/** Removes members that should be texts but have another type. */
export function dropWrongTexts(members: Members): void {
  for (const name of POSSIBLE_TEXTS) if (typeof members[name] !== "string") delete members[name];
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}
