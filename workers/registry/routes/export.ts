/** Bulk export: every domain that the filters of the list find, one a line, oldest first (decisions 5.4). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { success, type Result } from "../../platform/result.ts";
import { begun, NDJSON, ndjsonResponse } from "../bulk/ndjson.ts";
import { walkDomains } from "../bulk/export-walk.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity } from "../description.ts";
import { isDomainId } from "../domain/domain-id.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import { exportParameters, readListQuery, type DomainListQuery } from "../lists/domain-query.ts";
import { keyed } from "../middleware/keyed.ts";
import { queryOf } from "../middleware/query.ts";
import { refused } from "../failures.ts";
import { keysetOfDomain } from "../lists/domain-order.ts";
import type { Keyset } from "../lists/order.ts";
import { listFilters } from "./domain-lists.ts";

export const exportRoutes = new Hono<RegistryHono>();

const exportAll: Operation = {
  method: "get",
  path: "/v1/export",
  id: "exportDomains",
  summary: "Stream all domains that the filters find",
  description:
    "In the order of creation, with `q` in that of relevance. A domain is told as it is when the stream comes to it. An answer that was cut off goes on with `cursor=<id of the last domain that was read>` and the same filters.",
  tag: "Bulk",
  security: keyedSecurity,
  query: z.object({
    ...listFilters,
    cursor: z.string().optional().meta({ description: "The id of the last domain that was read" }),
  }),
  responses: {
    200: {
      description: "One domain a line",
      content: {
        schema: z.string().meta({ description: "One Domain as JSON on each line" }),
        type: NDJSON,
        line: domainRecord,
      },
    },
    ...keyedProblems("validation_failed", "invalid_cursor"),
  },
};

exportRoutes.get(exportAll.path, keyed("domains:read"), async (c) => {
  const parameters = queryOf(c, exportParameters);
  if (!parameters.ok) return refuse(c, parameters.error);
  const read = readListQuery(parameters.value);
  if (!read.ok) return refuse(c, read.error);
  const query: DomainListQuery =
    read.value.words === undefined ? { ...read.value, sort: { field: "createdAt", descending: false } } : read.value;
  const { database } = c.var.runtime;
  const after = await positionAfter(database, query, parameters.value.get("cursor"));
  if (!after.ok) return refuse(c, after.error);
  return ndjsonResponse(await begun(walkDomains(database, query, after.value)), c.env.log);
});

async function positionAfter(
  database: D1Database,
  query: DomainListQuery,
  cursor: string | null,
): Promise<Result<Keyset | undefined>> {
  if (cursor === null) return success(undefined);
  const position = isDomainId(cursor) ? await keysetOfDomain(database, query, cursor) : undefined;
  if (position !== undefined) return success(position);
  const message = "cursor must be the id of a domain that this export told";
  return refused("invalid_cursor", message, { details: [{ parameter: "cursor", reason: "invalid_cursor", message }] });
}

export const exportOperations: readonly Operation[] = [exportAll];
