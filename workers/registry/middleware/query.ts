/** Query parameters: an unknown one is refused, since a filter silently ignored is the worst answer a list can give. */
import { createMiddleware } from "hono/factory";
import { failure, success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import type { ListCursor } from "../lists/cursor.ts";
import { PAGE_SIZE } from "../limits.ts";
import { registryFailure, refused } from "../failures.ts";
import type { FailureDetail } from "../../platform/failure.ts";

/** The parameters, all of which are among `known`. */
export function queryOf(c: RegistryContext, known: readonly string[] = []): Result<URLSearchParams> {
  const parameters = new URL(c.req.url).searchParams;
  const details = [...new Set(parameters.keys())]
    .filter((name) => !known.includes(name))
    .map((name): FailureDetail => ({
      parameter: name,
      reason: "unknown_parameter",
      message: known.length === 0 ? "This route takes no parameters" : `Known are ${known.join(", ")}`,
    }));
  const [first] = details;
  if (first === undefined) return success(parameters);
  return failure(
    registryFailure("unknown_parameter", `Unknown parameter; ${first.message}`, { details: details.slice(0, 50) }),
  );
}

/** Before a route that takes no parameters. */
export const withoutParameters = createMiddleware<RegistryHono>(async (c, next) => {
  const query = queryOf(c);
  return query.ok ? next() : refuse(c, query.error);
});

/** `limit`, 1 to 100. */
export function pageLimitOf(parameters: URLSearchParams): Result<number> {
  const text = parameters.get("limit");
  if (text === null) return success(PAGE_SIZE.usual);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= PAGE_SIZE.greatest) return success(limit);
  const message = `limit must be a whole number from 1 to ${PAGE_SIZE.greatest}`;
  return refused("invalid_page_size", message, { details: [{ parameter: "limit", reason: "range", message }] });
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly limit: number;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly total?: number;
}

/** From rows of which one more was asked for than the page has: it tells whether there is a next one. */
export function pageFrom<Row, Item>(
  rows: readonly Row[],
  {
    limit,
    show,
    cursor,
    position,
  }: {
    readonly limit: number;
    readonly show: (row: Row) => Item;
    readonly cursor: ListCursor;
    /** Where a page that ends with `last` ends. */
    readonly position: (last: Row) => Parameters<ListCursor["print"]>[0];
  },
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items: items.map(show), limit, nextCursor: last === undefined ? null : cursor.print(position(last)) };
}

/** A list's page with its link to the next one (RFC 8288). */
export function answerPage<Item>(c: RegistryContext, { items, limit, nextCursor, total }: Page<Item>): Response {
  const page = { limit, hasMore: nextCursor !== null, nextCursor, ...(total === undefined ? {} : { total }) };
  if (nextCursor === null) return c.json({ data: items, page });
  const next = new URL(c.req.url);
  next.searchParams.set("cursor", nextCursor);
  return c.json({ data: items, page }, 200, { Link: `<${next.pathname}${next.search}>; rel="next"` });
}
