/**
 * The cursor of every list: base64url of JSON, with a digest of the list and the position after which the next page
 * begins. It is opaque to clients. A cursor of another list, of other filters or of another order is refused.
 */
import type * as z from "zod";
import { parseJson } from "../../../platform/json.ts";
import { success, type Result } from "../../../platform/result.ts";
import { refused } from "../failures.ts";

export interface ListCursor {
  print(position: readonly (string | number | null)[]): string;
  /** Null if there is no cursor. */
  read<Schema extends z.ZodType>(cursor: string | null | undefined, schema: Schema): Result<z.output<Schema> | null>;
}

/** Characters: a few bounded texts of a domain's columns. */
const LONGEST_CURSOR = 16_384;

/** `query` is JSON that identifies the list: its name, filters and order, but not the page size. */
export function cursorOf(query: unknown): ListCursor {
  const list = digestOf(JSON.stringify(query));
  return {
    print(position) {
      const bytes = new TextEncoder().encode(JSON.stringify([list, ...position]));
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    },
    read(cursor, schema) {
      if (cursor === null || cursor === undefined) return success(null);
      const text = decodeBase64(cursor);
      const parsed = text === undefined ? undefined : parseJson(text);
      const [found, ...position] =
        parsed?.ok === true && Array.isArray(parsed.value) ? (parsed.value as unknown[]) : [];
      const checked = found === list ? schema.safeParse(position) : undefined;
      if (checked?.success === true) return success(checked.data);
      const message = "cursor must be the nextCursor of a page of this list";
      return refused("invalid_cursor", message, {
        details: [{ parameter: "cursor", reason: "invalid_cursor", message }],
      });
    },
  };
}

/** Decodes base64 in either alphabet, with or without padding; undefined for any other text. */
export function decodeBase64(text: string): string | undefined {
  if (text.length > LONGEST_CURSOR || !/^[\w+/-]+={0,2}$/.test(text)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * 64 bits, each half by FNV-1a. It distinguishes lists and protects nothing: a forged cursor only reads another
 * position of a list that the client can read anyway. Unlike SHA-256 it is synchronous, which fields that are resolved
 * together need.
 */
function digestOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x1000193];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other + text.charCodeAt(at), 0x01000193) ^ (other >>> 15);
  }
  return [one, other].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
