/** Empties all tables of the test's D1 database. */
import { env } from "cloudflare:workers";
import { tamperWithAuditLog } from "../staff/audit-tampering.ts";

/** Skipped: SQLite's and D1's own tables, the migrations' ledger, and the internal tables of a full-text index. */
export async function emptyDatabase(): Promise<void> {
  const { results: tables } = await env.DATABASE.prepare(
    `SELECT name FROM sqlite_schema
     WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name <> 'd1_migrations'
       AND name NOT GLOB 'domain_search_*'`,
  ).all<{ name: string }>();
  await tamperWithAuditLog(
    "PRAGMA defer_foreign_keys = on",
    ...tables.map(({ name }) => `DELETE FROM "${name}"`),
    "DELETE FROM sqlite_sequence",
  );
}
