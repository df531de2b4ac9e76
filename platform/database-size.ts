/**
 * The fill level of the database, which D1 reports with every result. A full database refuses every write until an
 * operator makes room, and still answers reads.
 */
import type { Database, DatabaseMeta } from "./database/database.ts";
import { integerVariable } from "./config.ts";

/** The maximum size of a D1 database in bytes. */
const D1_BYTES = 10_000_000_000;
/** The share at which an operator should make room. */
const WARNING_SHARE = 0.7;

export const databaseVariables = { DATABASE_MAX_BYTES: integerVariable(D1_BYTES, 1) };

export interface DatabaseSize {
  readonly usedBytes: number;
  readonly maxBytes: number;
  readonly state: "ok" | "warning" | "full";
}

/** Queries the database; undefined if its results do not report a size. */
export async function measureSize(database: Database, maxBytes: number): Promise<DatabaseSize | undefined> {
  const { meta }: { readonly meta: Partial<DatabaseMeta> } = await database.prepare("SELECT 1").run();
  const { size_after: usedBytes } = meta;
  if (usedBytes === undefined) return undefined;
  const warning = usedBytes >= maxBytes * WARNING_SHARE ? "warning" : "ok";
  return { usedBytes, maxBytes, state: usedBytes >= maxBytes ? "full" : warning };
}

/** The database has reached its maximum size, so nothing was sent to it. */
export class DatabaseFull extends Error {
  constructor() {
    super("the database has reached DATABASE_MAX_BYTES");
    this.name = "DatabaseFull";
  }
}

/** Whether a write failed because the database is full: by our limit, or by an error of SQLite or D1. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof DatabaseFull || FULL.test(error instanceof Error ? error.message : String(error));
}

const FULL = /SQLITE_FULL|database or disk is full|exceeded (?:its )?maximum (?:DB|database) size/i;
