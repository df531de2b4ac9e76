/** Pages of lists: their common parameters, and a page in a response. */
import * as z from "zod";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import type { RegistryContext } from "../context.ts";
import { registryFailure } from "../failures.ts";
import { PAGE_SIZE } from "../limits.ts";
import type { ListCursor } from "../lists/cursor.ts";

const sizeRule = `limit must be a whole number from 1 to ${PAGE_SIZE.greatest}`;

/** The first of several values, for query parameters that are read once. */
export function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? (value as readonly unknown[])[0] : value;
}

/** Decimal digits, from `least` to `greatest`. */
export function wholeNumber({ least, greatest }: { readonly least: number; readonly greatest: number }) {
  const error = `must be a whole number from ${least} to ${greatest}`;
  return z.preprocess((value) => {
    const text = firstOf(value);
    return typeof text === "string" && /^\d{1,16}$/.test(text) ? Number(text) : text;
  }, z.int({ error }).min(least, { error }).max(greatest, { error }).optional());
}

/** The parameters of every list. */
export const pageParameters = {
  limit: failsWith(
    wholeNumber({ least: 1, greatest: PAGE_SIZE.greatest })
      .transform((limit) => limit ?? PAGE_SIZE.usual)
      .meta({ description: `Items per page. Default: ${PAGE_SIZE.usual}.` }),
    registryFailure("invalid_page_size", sizeRule, {
      details: [{ parameter: "limit", reason: "range", message: sizeRule }],
    }),
  ),
  cursor: z
    .preprocess(firstOf, z.string().optional())
    .meta({ description: "`nextCursor` of the previous page, with the same filters and sort." }),
};

/** A page in the OpenAPI document. */
function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    page: z.object({
      limit: z.int(),
      hasMore: z.boolean(),
      nextCursor: z.string().nullable(),
      total: z.int().optional().meta({ description: "Only if `count=true` was sent." }),
    }),
  });
}

/** The usual success response of a list. */
export function pageResponse<Item extends z.ZodType>(item: Item) {
  return { 200: { description: "One page", content: { schema: pageOf(item) }, headers: { Link: "The next page" } } };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly total?: number;
}

/** Makes a page from rows. One row more than the page size shows that there is a next page. */
export function pageFrom<Row, Item>(
  rows: readonly Row[],
  {
    limit,
    show,
    cursors,
    position,
  }: {
    readonly limit: number;
    readonly show: (row: Row) => Item;
    readonly cursors: ListCursor;
    /** The position after which the next page begins. */
    readonly position: (last: Row) => Parameters<ListCursor["print"]>[0];
  },
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items: items.map(show), limit, nextCursor: last === undefined ? null : cursors.print(position(last)) };
}

/** A page with a link to the next page (RFC 8288). */
export function replyPage<Item>(c: RegistryContext, { items, limit, nextCursor, total }: Page<Item>) {
  const page = { limit, hasMore: nextCursor !== null, nextCursor, ...(total === undefined ? {} : { total }) };
  if (nextCursor === null) return reply({ data: items, page });
  const next = new URL(c.req.url);
  next.searchParams.set("cursor", nextCursor);
  return reply({ data: items, page }, { headers: { Link: `<${next.pathname}${next.search}>; rel="next"` } });
}
