/** The list of domains: filters, full-text search, sort and cursors (contract/registry.md section 4.2). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { equalityFilters, listParameters, readListQuery, sortFields, timeFilters } from "../lists/domain-query.ts";
import { representationOf } from "../domain/representation.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerPage, pageLimitOf, queryOf } from "../middleware/query.ts";
import { cursorOfDomains, keysetSchema } from "../lists/domain-order.ts";
import { listDomains } from "../lists/domain-page.ts";

export const domainListRoutes = new Hono<RegistryHono>();

const filter = z
  .array(z.string())
  .optional()
  .meta({ description: "Equality; several values mean any of them, at most 50" });
const timeFilter = z.string().optional().meta({ format: "date-time" });

/** What the list and the export find domains by. */
export const listFilters = {
  ...Object.fromEntries([...equalityFilters, "protocol"].map((name) => [name, filter])),
  ...Object.fromEntries(timeFilters.map((name) => [name, timeFilter])),
  q: z.string().max(200).optional().meta({ description: "Words that must all be found, the last one as a prefix" }),
};

const list: Operation = {
  method: "get",
  path: "/v1/domains",
  id: "listDomains",
  summary: "Find domains",
  description: "Pages by keyset: what is created or deactivated during a walk causes neither doubles nor gaps.",
  tag: "Domains",
  security: keyedSecurity,
  query: z.object({
    ...listFilters,
    sort: z
      .enum([...sortFields, ...sortFields.map((field) => `-${field}` as const)])
      .optional()
      .meta({ description: "With `-` descending. `-createdAt` unless told, with q `relevance`" }),
    count: z.enum(["true", "false"]).optional().meta({ description: "Adds page.total, which costs a count" }),
    ...pageParameters,
  }),
  responses: {
    200: { description: "One page", content: { schema: pageOf(domainRecord) }, headers: { Link: "The next page" } },
    ...keyedProblems("validation_failed", "invalid_cursor", "invalid_page_size"),
  },
};

domainListRoutes.get(list.path, keyed("domains:read"), async (c) => {
  const parameters = queryOf(c, listParameters);
  if (!parameters.ok) return refuse(c, parameters.error);
  const limit = pageLimitOf(parameters.value);
  if (!limit.ok) return refuse(c, limit.error);
  const query = readListQuery(parameters.value);
  if (!query.ok) return refuse(c, query.error);
  const cursor = cursorOfDomains(query.value);
  const after = cursor.read(parameters.value.get("cursor"), keysetSchema(query.value));
  if (!after.ok) return refuse(c, after.error);
  const request = { query: query.value, limit: limit.value, after: after.value ?? undefined };
  const page = await listDomains(c.var.runtime.database, request);
  const { next, total } = page;
  return answerPage(c, {
    items: page.domains.map(representationOf),
    limit: limit.value,
    nextCursor: next === undefined ? null : cursor.print(next),
    ...(total === undefined ? {} : { total }),
  });
});

export const domainListOperations: readonly Operation[] = [list];
