/**
 * The fill level of the database: D1 reports its size with every result, and PostgreSQL is asked for it. A full database
 * refuses every write until an operator makes room, and still answers reads.
 */
import type { Database, DatabaseMeta } from "./database.ts";
import type { DatabaseBindings } from "./database-of.ts";
import { integerVariable } from "../config.ts";

/** The maximum size of a D1 database in bytes. */
const D1_BYTES = 10_000_000_000;
/** The share at which an operator should make room. */
const WARNING_SHARE = 0.7;

/** 0: the platform's own limit. */
export const databaseVariables = { DATABASE_MAX_BYTES: integerVariable(0) };

/** The size at which the deployment refuses writes. PostgreSQL itself has no limit. */
export function maxBytesOf(env: DatabaseBindings, configured: number): number {
  if (configured > 0) return configured;
  return env.HYPERDRIVE === undefined ? D1_BYTES : Number.POSITIVE_INFINITY;
}

export interface DatabaseSize {
  readonly usedBytes: number;
  readonly maxBytes: number;
  readonly state: "ok" | "warning" | "full";
}

/** Queries the database; undefined if it reports no size, or has no limit. */
export async function measureSize(database: Database, maxBytes: number): Promise<DatabaseSize | undefined> {
  if (!Number.isFinite(maxBytes)) {
    // PostgreSQL would look at each of its files, for everyone who asks for `/health`.
    await database.prepare("SELECT 1").run();
    return undefined;
  }
  const usedBytes = await usedBytesOf(database);
  if (usedBytes === undefined) return undefined;
  const warning = usedBytes >= maxBytes * WARNING_SHARE ? "warning" : "ok";
  return { usedBytes, maxBytes, state: usedBytes >= maxBytes ? "full" : warning };
}

async function usedBytesOf(database: Database): Promise<number | undefined> {
  if (database.size !== undefined) return database.size();
  const { meta }: { readonly meta: Partial<DatabaseMeta> } = await database.prepare("SELECT 1").run();
  return meta.size_after;
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
