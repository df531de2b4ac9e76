/** The tables that a copy leaves out. */

/** The progress of a copy, in its target. */
export const PROGRESS = "copy_progress";
/** The parts of the schema that the copy took off its target and has to restore. */
export const PARTS = "copy_parts";

const excluded = new Set([
  // The migrations that an engine has applied: wrangler's table, and the table of migrate.ts.
  "d1_migrations",
  "applied_migrations",
  // Always empty, without a key.
  "expectations",
  PROGRESS,
  PARTS,
  // The progress of a restore (workers/staff/backup/restore-state.ts).
  "restores",
  "restored_tables",
  "restore_parts",
]);

export function isCopied(table: string): boolean {
  return !excluded.has(table);
}
