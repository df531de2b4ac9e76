/** JSON pointers (RFC 6901): how faults and changes say where. */
import { isJsonObject } from "../../platform/json.ts";

/** A member's name as one token of a pointer (section 3). */
export function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** What is there (section 4); undefined where nothing is. */
export function valueAt(value: unknown, pointer: string): unknown {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return tokens.reduce<unknown>((inner, token) => {
    if (Array.isArray(inner))
      return /^(?:0|[1-9]\d*)$/.test(token) ? (inner as readonly unknown[])[Number(token)] : undefined;
    return isJsonObject(inner) && Object.hasOwn(inner, token) ? inner[token] : undefined;
  }, value);
}
