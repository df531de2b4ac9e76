/**
 * One command is one batch: all of its statements or none. A batch that a concurrent write has invalidated fails on a
 * key or on an expectation, and its command reads again. D1 has no interactive transactions.
 */
import { originalDatabase } from "../../../platform/audit/audited-database.ts";
import type { Database, DatabaseMeta, DatabaseResult, Statement } from "../../../platform/database/database.ts";
import { DatabaseFull, measureSize } from "../../../platform/database/database-size.ts";
import { describeThrown } from "../../../platform/log.ts";
import { type Result, success } from "../../../platform/result.ts";
import { writeContention } from "../failures.ts";

/**
 * `conflict`: a concurrent write came first; read again. `answered`: this request already has its response under this
 * Idempotency-Key, and retrying would change nothing. `over-quota`: a daily quota of the caller is used up.
 */
export type Committed = "committed" | "conflict" | "answered" | "over-quota";

interface Room {
  readonly maxBytes: number;
  /** After the last batch, or when it was last measured. */
  usedBytes: number;
  /** Unix milliseconds. */
  measuredAt: number;
}

/** The maximum size of each database of this isolate, and its current size. */
const rooms = new WeakMap<Database, Room>();

/** Milliseconds between two measurements of a database whose results do not report a size. */
const MEASURED_EVERY = 30_000;

/** From now on `commit` refuses writes beyond this size. */
export function limitSize(database: Database, maxBytes: number): void {
  rooms.set(database, { maxBytes, usedBytes: 0, measuredAt: 0 });
}

/** A full database is measured again before each write, because an operator may have made room. */
async function expectRoom(audited: Database): Promise<void> {
  const database = originalDatabase(audited);
  const room = rooms.get(database);
  if (room === undefined || !Number.isFinite(room.maxBytes)) return;
  const isUnknown = database.size !== undefined && Date.now() - room.measuredAt >= MEASURED_EVERY;
  if (room.usedBytes < room.maxBytes && !isUnknown) return;
  room.usedBytes = (await measureSize(database, room.maxBytes))?.usedBytes ?? 0;
  room.measuredAt = Date.now();
  if (room.usedBytes >= room.maxBytes) throw new DatabaseFull();
}

/** The batch's last result contains the current size of the database. */
function noteSize(database: Database, results: readonly DatabaseResult[]): void {
  const room = rooms.get(originalDatabase(database));
  const { size_after: size }: Partial<DatabaseMeta> = results.at(-1)?.meta ?? {};
  if (room !== undefined && size !== undefined) room.usedBytes = size;
}

/** Throws for every error except a constraint that a concurrent writer or a quota can violate. */
export async function commit(database: Database, statements: readonly Statement[]): Promise<Committed> {
  await expectRoom(database);
  try {
    noteSize(database, await database.batch([...statements]));
    return "committed";
  } catch (error) {
    const reason = describeThrown(error);
    if (OVER_QUOTA.test(reason)) return "over-quota";
    if (KEY_IN_USE.test(reason)) return "answered";
    if (CONFLICT.test(reason)) return "conflict";
    throw error;
  }
}

const CONFLICT = /UNIQUE constraint failed|CHECK constraint failed: met = 1/;

const OVER_QUOTA = /CHECK constraint failed: quota_(?:bytes|proposals)/;

const KEY_IN_USE = /UNIQUE constraint failed: idempotency\./;

/**
 * A statement that rolls its batch back unless `condition` holds when it runs. `condition` is our own SQL, never input.
 */
export function requireThat(database: Database, condition: string, ...values: readonly unknown[]): Statement {
  return database.prepare(`INSERT INTO expectations (met) SELECT (${condition})`).bind(...values);
}

/** Attempts at a write before it fails with contention. */
export const ATTEMPTS = 12;

/** Milliseconds. */
const FIRST_PAUSE = 4;
const LONGEST_PAUSE = 150;

/** An attempt that lost against a concurrent write: read again and retry. */
export const LOST = Symbol("lost");

/**
 * Runs `attempt` until it succeeds, with a growing random pause, so that writers of one domain spread out. Undefined if
 * every attempt lost.
 */
export async function untilNotLost<Value>(
  attempt: () => Promise<Value | typeof LOST>,
  attempts = ATTEMPTS,
): Promise<Value | undefined> {
  for (let lost = 0; lost < attempts; lost += 1) {
    const value = await attempt();
    if (value !== LOST) return value;
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** lost);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
  }
  return undefined;
}

/** The statements that a command has decided to write, and its result once they are stored. */
export interface Write<Value> {
  readonly statements: readonly Statement[];
  readonly value: Value;
}

/** Maximum attempts of a command, and its failure if every attempt lost or a quota is used up. */
export interface Persistence {
  readonly attempts: number;
  readonly exhausted: () => Result<never>;
  readonly refusedByQuota: () => Result<never>;
}

/** `attempt` reads again each time. A Result ends the command without a write. */
export async function commitCommand<Value>(
  database: Database,
  attempt: () => Promise<Result<Value> | Write<Value> | typeof LOST>,
  { attempts = ATTEMPTS, exhausted = writeContention, refusedByQuota = writeContention }: Partial<Persistence> = {},
): Promise<Result<Value>> {
  const done = await untilNotLost(async () => {
    const decided = await attempt();
    if (decided === LOST || "ok" in decided) return decided;
    const committed = await commit(database, decided.statements);
    if (committed === "conflict") return LOST;
    if (committed === "over-quota") return refusedByQuota();
    // This request was already answered; the caller of Idempotency-Key replays the response.
    return committed === "answered" ? writeContention() : success(decided.value);
  }, attempts);
  return done ?? exhausted();
}
