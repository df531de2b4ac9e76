/**
 * Before each file: applies the D1 migrations, skipping applied ones, and empties all tables except for rows that the
 * migrations insert.
 */
import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { tamperWithAuditLog } from "../support/staff/audit-tampering.ts";

await applyD1Migrations(env.DATABASE, env.TEST_MIGRATIONS);

/** Skipped: SQLite's and D1's own tables, the migrations' ledger, and the internal tables of a full-text index. */
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
