/** Lists of domains: a page by filters, full-text search and sort, and the export of all matches. */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import { success, type Result } from "../../../platform/result.ts";
import { walkDomains } from "../bulk/export-walk.ts";
import { NDJSON, ndjsonResponse, startedStream } from "../bulk/ndjson.ts";
import { isDomainId } from "../domain/domain-id.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { representationOf } from "../domain/representation.ts";
import { refused } from "../failures.ts";
import { keyed } from "../http/authentication.ts";
import { firstOf, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { metered, orRefused, rowMeterOf } from "../http/row-meter.ts";
import { cursorOfDomains, keysetOfDomain, keysetSchema } from "../lists/domain-order.ts";
import { listDomains } from "../lists/domain-page.ts";
import {
  choicesOf,
  equalityFilters,
  readListQuery,
  sortFields,
  timeFilters,
  type DomainListQuery,
} from "../lists/domain-query.ts";
import type { Keyset } from "../lists/order.ts";

/** Parameters that `readListQuery` validates together; here they are only described. */
const described = (schema: Readonly<Record<string, unknown>>) => z.unknown().optional().meta(schema);
const equality = (choices?: readonly string[]) =>
  described({
    type: "array",
    items: { type: "string", ...(choices === undefined ? {} : { enum: choices }) },
    description: `Equality${choices === undefined ? "" : " in any case"}; several values match any of them, at most 50`,
  });
const listFilters = {
  ...Object.fromEntries(equalityFilters.map((name) => [name, equality(choicesOf(name))])),
  protocol: equality(),
  ...Object.fromEntries(timeFilters.map((name) => [name, described({ type: "string", format: "date-time" })])),
  q: described({
    type: "string",
    maxLength: 200,
    description: "Words that must all match, the last one as a prefix",
  }),
};

const list = route(
  {
    method: "get",
    path: "/v1/domains",
    id: "listDomains",
    summary: "Find domains",
    description:
      "Pages by keyset: domains that are created or deactivated between two pages cause no duplicates and no gaps.",
    tag: "Domains",
    auth: keyed("domains:read"),
    query: z.object({
      ...listFilters,
      sort: described({
        type: "string",
        enum: [...sortFields, ...sortFields.map((field) => `-${field}`)],
        description: "A leading `-` sorts descending. Default: `-createdAt`, or `relevance` with q",
      }),
      ...pageParameters,
      count: described({
        type: "string",
        enum: ["true", "false"],
        description: "Adds page.total, at the cost of a count",
      }),
    }),
    responses: pageResponse(domainRecord),
    failures: ["validation_failed", "invalid_cursor"],
  },
  async ({ query: { limit, cursor } }, c) => {
    const query = readListQuery(new URL(c.req.url).searchParams);
    if (!query.ok) return query;
    const cursors = cursorOfDomains(query.value);
    const after = cursors.read(cursor, keysetSchema(query.value));
    if (!after.ok) return after;
    const request = { query: query.value, limit, after: after.value ?? undefined };
    const { database } = c.var.runtime;
    return metered(c, async (meter) => {
      const { domains, next, total } = await listDomains({ database, meter }, request);
      return replyPage(c, {
        items: domains.map(representationOf),
        limit,
        nextCursor: next === undefined ? null : cursors.print(next),
        ...(total === undefined ? {} : { total }),
      });
    });
  },
);

const exportAll = route(
  {
    method: "get",
    path: "/v1/export",
    id: "exportDomains",
    summary: "Export all domains that match the filters",
    description:
      "Sorted by creation, or by relevance with `q`. Each domain is sent in its state at that moment. If a response was cut off, continue with `cursor=<id of the last domain received>` and the same filters.",
    tag: "Bulk",
    auth: keyed("domains:read"),
    query: z.object({
      ...listFilters,
      cursor: z.preprocess(firstOf, z.string().optional()).meta({ description: "The id of the last domain received" }),
    }),
    responses: {
      200: {
        description: "One domain per line",
        content: {
          schema: z.string().meta({ description: "One Domain as JSON on each line" }),
          type: NDJSON,
          line: domainRecord,
        },
      },
    },
    failures: ["validation_failed", "invalid_cursor"],
  },
  async ({ query: { cursor } }, c) => {
    const read = readListQuery(new URL(c.req.url).searchParams);
    if (!read.ok) return read;
    const byCreation = { field: "createdAt", descending: false } as const;
    const query = read.value.words === undefined ? { ...read.value, sort: byCreation } : read.value;
    const { database } = c.var.runtime;
    const after = await keysetAfter(database, query, cursor);
    if (!after.ok) return after;
    const pages = walkDomains({ database, meterOf: () => rowMeterOf(c) }, query, after.value);
    const stream = await orRefused(() => startedStream(pages));
    return stream.ok ? ndjsonResponse(stream.value, c.env.log) : stream;
  },
);

async function keysetAfter(
  database: Database,
  query: DomainListQuery,
  cursor: string | undefined,
): Promise<Result<Keyset | undefined>> {
  if (cursor === undefined) return success(undefined);
  const keyset = isDomainId(cursor) ? await keysetOfDomain(database, query, cursor) : undefined;
  if (keyset !== undefined) return success(keyset);
  const message = "cursor must be the id of a domain that this export has returned";
  return refused("invalid_cursor", message, { details: [{ parameter: "cursor", reason: "invalid_cursor", message }] });
}

export const domainListRoutes = [list, exportAll];
