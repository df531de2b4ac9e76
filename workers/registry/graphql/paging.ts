/** Which part of a list is asked for: the rules of first, last, offset, before and after (contract/registry.md section 7.3). */
import { parseCursor, type Place } from "./cursor.ts";
import type { Keyset } from "./keyset.ts";
import type { Ordering } from "./ordering.ts";
import { refusal } from "./refusal.ts";

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
  /** The last ones rather than the first ones. */
  readonly backwards: boolean;
  readonly after: Keyset | undefined;
  readonly before: Keyset | undefined;
  /** Positions in the list, from inclusive, to exclusive; `to` is undefined for its end. */
  readonly from: number;
  readonly to: number | undefined;
}

/** Throws for what contradicts itself. */
export function pageRequest(asked: PageArguments, ordering: Ordering, sizes: PageSizes): PageRequest {
  const { first, last, offset, before, after } = asked;
  if (isGiven(first) && isGiven(last)) throw refusal("validation_failed", "Ask for first or for last, not for both");
  if (isGiven(offset) && (isGiven(last) || isGiven(before) || isGiven(after))) {
    throw refusal("validation_failed", "offset goes with first alone, without last, before and after");
  }
  if (isGiven(offset) && offset < 0) throw refusal("validation_failed", "offset must not be negative");
  const wanted = pageSize(asked, sizes);
  if (wanted < 0) throw refusal("invalid_page_size", `first and last must be from 0 to ${sizes.greatest}`);
  const size = Math.min(wanted, sizes.greatest);
  const [start, end] = [placeOf(after, ordering), placeOf(before, ordering)];
  if (start !== undefined && end !== undefined && start.kind !== end.kind) {
    throw refusal("invalid_cursor", "before and after must be cursors of the same form");
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

/** As it is asked for; the cost of a query is reckoned with it too. */
export function pageSize(
  { first, last }: Pick<PageArguments, "first" | "last">,
  { usual, greatest }: PageSizes,
): number {
  return first ?? last ?? Math.min(usual, greatest);
}

/** What to tell who asked for a larger page than there may be; undefined for everybody else. */
export function pageNote(list: string, asked: PageArguments, sizes: PageSizes): string | undefined {
  if (pageSize(asked, sizes) <= sizes.greatest) return undefined;
  const name = isGiven(asked.last) ? "last" : "first";
  return `${list}: ${name} may be at most ${sizes.greatest}; pageInfo says whether there is more`;
}

function placeOf(cursor: string | null | undefined, ordering: Ordering): Place | undefined {
  return isGiven(cursor) ? parseCursor(ordering, cursor) : undefined;
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}
