/** The history of a domain (contract/registry.md section 4.4): newest first, kept for ever. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { historicVersionRecord, historyEntryRecord } from "../domain/domain-schema.ts";
import { representationOf } from "../domain/representation.ts";
import { keyed } from "../middleware/keyed.ts";
import { namedDomain, readNamedDomain } from "../middleware/named-domain.ts";
import { cursorOf } from "../lists/cursor.ts";
import { answerPage, pageLimitOf, queryOf } from "../middleware/query.ts";
import { registryFailure } from "../failures.ts";
import { listHistory, readVersion } from "../store/history-store.ts";

const tag = "Domains";
export const historyRoutes = new Hono<RegistryHono>();

const list: Operation = {
  method: "get",
  path: "/v1/domains/:id/history",
  id: "listHistory",
  summary: "What happened to a domain, newest first",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  query: z.object(pageParameters),
  responses: {
    200: {
      description: "One page",
      content: { schema: pageOf(historyEntryRecord) },
      headers: { Link: "The next page" },
    },
    ...keyedProblems("invalid_did", "not_found", "invalid_cursor", "invalid_page_size"),
  },
};

historyRoutes.get(list.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const id = namedDomain(c);
  if (!id.ok) return refuse(c, id.error);
  const cursor = cursorOf(["history", id.value]);
  const position = cursor.read(query.value.get("cursor"), z.tuple([z.int().min(1)]));
  if (!position.ok) return refuse(c, position.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const before = position.value?.[0];
  const { entries: items, more } = await listHistory(c.var.runtime.database, id.value, { before, limit: limit.value });
  const last = more ? items.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursor.print([last.version]);
  return answerPage(c, { items, limit: limit.value, nextCursor });
});

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id/history/:version",
  id: "getHistoricVersion",
  summary: "One version of a domain: what changed, and the whole record as it was then",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string(), version: z.string().meta({ description: "A whole number from 1 on" }) }),
  responses: {
    200: { description: "The version", content: { schema: historicVersionRecord } },
    ...keyedProblems("invalid_did", "not_found"),
  },
};

historyRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const version = namedVersion(c);
  const found =
    version === undefined ? undefined : await readVersion(c.var.runtime.database, settled.value.domain.id, { version });
  if (found === undefined) return refuse(c, registryFailure("not_found", "The domain has no such version"));
  return c.json({ ...found.entry, record: representationOf(found.record) });
});

function namedVersion(c: RegistryContext): number | undefined {
  const text = c.req.param("version") ?? "";
  return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
}

export const historyOperations: readonly Operation[] = [list, read];
