/**
 * Cursors (contract/registry.md section 7.3): a place in a list, bound to its order. The publicly documented form, base64
 * of `arrayconnection:N`, names a position counted from zero instead.
 */
import { parseJson } from "../../platform/parse-json.ts";
import type { Keyset } from "./keyset.ts";
import type { Ordering } from "./ordering.ts";
import { refusal } from "./refusal.ts";

export type Place =
  | { readonly kind: "keyset"; readonly keyset: Keyset }
  | { readonly kind: "position"; readonly position: number };

/** Positions are found by counting from the start, so they end here; a cursor of ours reaches everywhere. */
export const LAST_POSITION = 10_000;
/** Characters: a few texts of a domain's columns, all of them bounded. */
const LONGEST_CURSOR = 16_384;

const POSITION = /^arrayconnection:(\d{1,5})$/;

export function printCursor(ordering: Ordering, keyset: Keyset): string {
  const bytes = new TextEncoder().encode(JSON.stringify([ordering.name, ...keyset]));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Throws for every text that is no cursor of this order. */
export function parseCursor(ordering: Ordering, cursor: string): Place {
  const text = decode(cursor);
  const position = POSITION.exec(text ?? "")?.[1];
  if (position !== undefined && Number(position) <= LAST_POSITION)
    return { kind: "position", position: Number(position) };
  const parsed = text === undefined ? undefined : parseJson(text);
  const [name, ...keyset] = parsed?.ok === true && Array.isArray(parsed.value) ? (parsed.value as unknown[]) : [];
  if (name !== ordering.name || !isKeyset(keyset, ordering)) {
    throw refusal("invalid_cursor", "The cursor is not one of this list and this orderBy; take it from an answer");
  }
  return { kind: "keyset", keyset };
}

function isKeyset(values: readonly unknown[], { terms }: Ordering): values is Keyset {
  return (
    values.length === terms.length &&
    terms.every(({ nullable }, at) => {
      const value = values[at];
      return typeof value === "string" || typeof value === "number" || (nullable && value === null);
    })
  );
}

function decode(cursor: string): string | undefined {
  if (cursor.length > LONGEST_CURSOR || !/^[\w+/-]+={0,2}$/.test(cursor)) return undefined;
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(binary, (each) => each.charCodeAt(0)),
    );
  } catch {
    return undefined;
  }
}
