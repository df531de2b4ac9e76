/** The audit log: a search, and an export with its chain of digests. */
import * as z from "zod";
import { LONGEST_SUBJECT } from "../../platform/audit/audit.ts";
import {
  lastNumber,
  readSealed,
  sealRows,
  searchRows,
  type AuditFilter,
  type NamedRow,
} from "../../platform/audit/store.ts";
import { fail } from "../../platform/failure.ts";
import { reply } from "../../platform/http/route.ts";
import { bySessionOrOperator, route } from "./edge.ts";

/** Rows of a page of the search. */
const PAGE = 50;
/** Rows of one part of the export. */
const EXPORTED = 1_000;

const shared = { tag: "Staff", auth: bySessionOrOperator, method: "get" } as const;
const text = z.string().min(1).max(LONGEST_SUBJECT).optional();
const rowNumber = z.coerce.number().int().min(0);

const search = route(
  {
    ...shared,
    path: "/staff/audit",
    id: "listAudit",
    summary: "Search the audit log by actor, operation, subject or request id, newest first",
    query: z.object({ actor: text, operation: text, subject: text, requestId: text, before: rowNumber.optional() }),
    responses: { 200: { description: "A page of acts; `next` is `before` of the next page" } },
    failures: ["invalid_request"],
  },
  async ({ query: { actor, operation, subject, requestId, before = Number.MAX_SAFE_INTEGER } }, c) => {
    const given = Object.entries({ actor, operation, subject, requestId }).filter(([, value]) => value !== undefined);
    if (given.length > 1) return fail("invalid_request", "Search by one of actor, operation, subject and requestId");
    const filter: AuditFilter = Object.fromEntries(given);
    const rows = await searchRows(c.var.database, filter, { before, limit: PAGE });
    const next = rows.length === PAGE ? (rows.at(-1)?.seq ?? null) : null;
    return reply({ data: rows.map(shown), next });
  },
);

const exportRows = route(
  {
    ...shared,
    path: "/staff/audit/export",
    id: "exportAudit",
    summary: "Export the audit log as NDJSON, with the digest of each row",
    query: z.object({ after: rowNumber.default(0) }),
    responses: {
      200: {
        description:
          "Up to 1,000 rows after `after`; an empty response is the end. `Audit-Last` is the number of the last row",
      },
    },
    failures: ["invalid_request"],
  },
  async ({ query: { after } }, c) => {
    const { database } = c.var;
    await sealRows(database);
    // Before the rows are read, so that every row up to this number must be among them.
    const last = await lastNumber(database);
    const rows = await readSealed(database, after, EXPORTED);
    return new Response(rows.map((each) => `${JSON.stringify(each)}\n`).join(""), {
      headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store", "Audit-Last": String(last) },
    });
  },
);

export const auditRoutes = [search, exportRows];

function shown(row: NamedRow) {
  const { seq, at, actor, actorName, network, operation, subject, subjectName, status, requestId } = row;
  const change = row.change === null ? null : (JSON.parse(row.change) as object);
  return {
    seq,
    at: new Date(at).toISOString(),
    actor,
    actorName,
    network,
    operation,
    subject,
    subjectName,
    requestId,
    status,
    change,
  };
}
