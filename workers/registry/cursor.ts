/** Cursors of the small lists: base64url of JSON, checked by a schema when they come back. Opaque to clients. */
import type * as z from "zod";
import { parseJson } from "../platform/parse-json.ts";
import { success, type Result } from "../platform/result.ts";
import { refused } from "./failures.ts";

/** Characters; ours are far shorter. */
const LONGEST_CURSOR = 2_048;

export function cursorOf(position: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Null when there is no cursor. A schema that holds the filters as literals refuses the cursor of another query. */
export function positionOf<Schema extends z.ZodType>(
  parameters: URLSearchParams,
  schema: Schema,
): Result<z.output<Schema> | null> {
  const cursor = parameters.get("cursor");
  if (cursor === null) return success(null);
  const decoded = cursor.length > LONGEST_CURSOR ? undefined : decode(cursor);
  const parsed = decoded === undefined ? undefined : parseJson(decoded);
  const checked = parsed?.ok === true ? schema.safeParse(parsed.value) : undefined;
  if (checked?.success === true) return success(checked.data);
  const message = "cursor must be the nextCursor of a page of this very list";
  return refused("invalid_cursor", message, { details: [{ parameter: "cursor", reason: "invalid_cursor", message }] });
}

function decode(cursor: string): string | undefined {
  if (!/^[\w-]+$/.test(cursor)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}
