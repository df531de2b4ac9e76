/** Changes of the audit log that only an administrator of the database can make: meanwhile, its triggers are off. */
import { env } from "cloudflare:workers";
import { isPostgres } from "../storage/engine.ts";

export async function tamperWithAuditLog(...statements: readonly string[]): Promise<void> {
  if (isPostgres) return tamperOnPostgres(statements);
  const query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'";
  const { results: triggers } = await env.DATABASE.prepare(query).all<{ name: string; sql: string }>();
  const all = [...triggers.map(({ name }) => `DROP TRIGGER ${name}`), ...statements, ...triggers.map(({ sql }) => sql)];
  await env.DATABASE.batch(all.map((statement) => env.DATABASE.prepare(statement)));
}

/** Each statement runs alone, because the driver's batches cannot change the schema. */
export async function tamperOnPostgres(statements: readonly string[]): Promise<void> {
  const tables = ["audit_rows", "audit_seals"];
  const away = tables.map((table) => `ALTER TABLE ${table} DISABLE TRIGGER USER`);
  const back = tables.map((table) => `ALTER TABLE ${table} ENABLE TRIGGER USER`);
  for (const statement of [...away, ...statements, ...back]) await env.DATABASE.prepare(statement).run();
}

/** As in a new deployment. */
export function emptyAuditLog(): Promise<void> {
  return tamperWithAuditLog("DELETE FROM audit_rows", "DELETE FROM audit_seals", "DELETE FROM audit_numbers");
}
