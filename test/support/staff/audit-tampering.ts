/** Changes of the audit log that only an administrator of the database can make: its triggers are away meanwhile. */
import { env } from "cloudflare:workers";

export async function tamperWithAuditLog(...statements: readonly string[]): Promise<void> {
  const query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'";
  const { results: triggers } = await env.DATABASE.prepare(query).all<{ name: string; sql: string }>();
  const all = [...triggers.map(({ name }) => `DROP TRIGGER ${name}`), ...statements, ...triggers.map(({ sql }) => sql)];
  await env.DATABASE.batch(all.map((statement) => env.DATABASE.prepare(statement)));
}

/** As in a new deployment. */
export function emptyAuditLog(): Promise<void> {
  return tamperWithAuditLog("DELETE FROM audit_rows", "DELETE FROM audit_seals", "DELETE FROM audit_numbers");
}
