/**
 * The requested part of a list: the rules of first, last, offset, before and after. In addition to the list's own
 * cursors it accepts a publicly documented form, base64 of `arrayconnection:N`, which is a position counted from zero.
 */
import * as z from "zod";
import { decodeBase64, type ListCursor } from "../lists/cursor.ts";
import type { Keyset, Ordering } from "../lists/order.ts";
import { refusedQuery } from "../store/refused-query.ts";

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly offset?: number | null;
  readonly before?: string | null;
  readonly after?: string | null;
}

export interface PageSizes {
  readonly usual: number;
  readonly greatest: number;
}

export interface PageRequest {
  readonly size: number;
  /** Read the last rows instead of the first ones. */
  readonly backwards: boolean;
  readonly after: Keyset | undefined;
  readonly before: Keyset | undefined;
  /** Positions in the list, from inclusive, to exclusive; `to` is undefined for the end of the list. */
  readonly from: number;
  readonly to: number | undefined;
}

/** Positions are found by counting from the start, so they have a limit; a cursor of the list can be anywhere. */
export const LAST_POSITION = 10_000;
const POSITION = /^arrayconnection:(\d{1,5})$/;

/** The parts of a list that its cursors need. */
export interface PagedList {
  readonly ordering: Ordering;
  readonly cursor: ListCursor;
}

/** Throws for contradictory arguments. */
export function pageRequest(asked: PageArguments, list: PagedList, sizes: PageSizes): PageRequest {
  const { first, last, offset, before, after } = asked;
  if (isGiven(first) && isGiven(last))
    throw refusedQuery("validation_failed", "Ask for first or for last, not for both");
  if (isGiven(offset) && (isGiven(last) || isGiven(before) || isGiven(after))) {
    throw refusedQuery("validation_failed", "offset can be combined only with first, not with last, before or after");
  }
  if (isGiven(offset) && offset < 0) throw refusedQuery("validation_failed", "offset must not be negative");
  const wanted = pageSize(asked, sizes);
  if (wanted < 0) throw refusedQuery("invalid_page_size", `first and last must be from 0 to ${sizes.greatest}`);
  const size = Math.min(wanted, sizes.greatest);
  const [start, end] = [placeOf(after, list), placeOf(before, list)];
  if (start !== undefined && end !== undefined && start.kind !== end.kind) {
    throw refusedQuery("invalid_cursor", "before and after must be cursors of the same form");
  }
  return {
    size,
    backwards: isGiven(last),
    after: start?.kind === "keyset" ? start.keyset : undefined,
    before: end?.kind === "keyset" ? end.keyset : undefined,
    from: start?.kind === "position" ? start.position + 1 : (offset ?? 0),
    to: end?.kind === "position" ? end.position : undefined,
  };
}

/** The requested page size; the cost of a query uses it too. */
export function pageSize(
  { first, last }: Pick<PageArguments, "first" | "last">,
  { usual, greatest }: PageSizes,
): number {
  return first ?? last ?? Math.min(usual, greatest);
}

/** The note for a caller who requested more than the largest page; otherwise undefined. */
export function pageNote(list: string, asked: PageArguments, sizes: PageSizes): string | undefined {
  if (pageSize(asked, sizes) <= sizes.greatest) return undefined;
  const name = isGiven(asked.last) ? "last" : "first";
  return `${list}: ${name} may be at most ${sizes.greatest}; pageInfo says whether there is more`;
}

type Place =
  | { readonly kind: "keyset"; readonly keyset: Keyset }
  | { readonly kind: "position"; readonly position: number };

/** Throws for any text that is not a cursor of this list. */
function placeOf(text: string | null | undefined, { ordering, cursor }: PagedList): Place | undefined {
  if (!isGiven(text)) return undefined;
  const position = POSITION.exec(decodeBase64(text) ?? "")?.[1];
  if (position !== undefined && Number(position) <= LAST_POSITION)
    return { kind: "position", position: Number(position) };
  const keyset = cursor.read(text, keysetSchema(ordering));
  if (keyset.ok && keyset.value !== null) return { kind: "keyset", keyset: keyset.value };
  const way = "take it from an answer to the same filter, condition and orderBy";
  throw refusedQuery("invalid_cursor", `The cursor does not belong to this list; ${way}`);
}

const value = z.union([z.string(), z.number()]);

function keysetSchema({ terms }: Ordering) {
  return z
    .array(value.nullable())
    .length(terms.length)
    .refine((values) => terms.every(({ nullable }, at) => nullable || values[at] !== null));
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}
