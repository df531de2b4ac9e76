/** Pages of lists: the parameters that all of them take, and a page as the response has it. */
import * as z from "zod";
import { failsWith } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import type { RegistryContext } from "../context.ts";
import { registryFailure } from "../failures.ts";
import { PAGE_SIZE } from "../limits.ts";
import type { ListCursor } from "../lists/cursor.ts";

const sizeRule = `limit must be a whole number from 1 to ${PAGE_SIZE.greatest}`;

/** The first of several, as query parameters that may be given once are read. */
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

/** A page as the OpenAPI document has it. */
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

/** The usual success of a list. */
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

/** From rows of which one more was read than the page has: it shows whether there is a next one. */
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
    /** Where a page that ends with `last` ends. */
    readonly position: (last: Row) => Parameters<ListCursor["print"]>[0];
  },
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items: items.map(show), limit, nextCursor: last === undefined ? null : cursors.print(position(last)) };
}

/** A page with its link to the next one (RFC 8288). */
export function replyPage<Item>(c: RegistryContext, { items, limit, nextCursor, total }: Page<Item>) {
  const page = { limit, hasMore: nextCursor !== null, nextCursor, ...(total === undefined ? {} : { total }) };
  if (nextCursor === null) return reply({ data: items, page });
  const next = new URL(c.req.url);
  next.searchParams.set("cursor", nextCursor);
  return reply({ data: items, page }, { headers: { Link: `<${next.pathname}${next.search}>; rel="next"` } });
}
