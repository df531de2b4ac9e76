/**
 * The table `claims` (migrations/0009): a turn that used tokens opens one claim, once, and its payer can list their claims. The
 * plugin claims sends them.
 */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import type { StoredUser, StoredUserPage } from "../../framework/erasure.ts";
import { creditsOf, type ClaimRecord } from "../../../protocol/credits.ts";
import { hexOf, sha256 } from "../../../platform/digest.ts";

/** How many unpaid claims a refusal names: enough to pay, in a body of a few kilobytes. */
export const CLAIMS_OF_REFUSAL = 100;

export const CLAIMS_TABLE = `CREATE TABLE IF NOT EXISTS claims (
  id              TEXT PRIMARY KEY,
  payer           TEXT NOT NULL,
  run_id          TEXT NOT NULL,
  amount          INTEGER NOT NULL CHECK (amount >= 0),
  status          TEXT NOT NULL CHECK (status IN ('open', 'submitted', 'settled')),
  created_at      TEXT NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  lease           TEXT,
  leased_until    INTEGER NOT NULL DEFAULT 0,
  dead_at         TEXT,
  reason          TEXT
) WITHOUT ROWID`;
export const CLAIMS_INDEXES = [
  "CREATE INDEX IF NOT EXISTS claims_by_payer ON claims (payer, created_at, id)",
  "CREATE INDEX IF NOT EXISTS claims_due ON claims (next_attempt_at, id) WHERE status = 'open' AND dead_at IS NULL",
  "CREATE INDEX IF NOT EXISTS claims_settled ON claims (created_at, id) WHERE status = 'settled'",
];
/** How many settled claims one run of the schedule removes. */
export const OLD_CLAIMS_AT_ONCE = 500;

/** Retries the work after creating table and indexes: an author's database does not have our migrations. */
async function withTable<Value>(database: Database, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof Error) || !/no such (?:table|index): claims/.test(thrown.message)) throw thrown;
    await database.batch([CLAIMS_TABLE, ...CLAIMS_INDEXES].map((statement) => database.prepare(statement)));
    return work();
  }
}

export interface NewClaim {
  readonly payer: string;
  readonly runId: string;
  /** Micro-credits. */
  readonly amount: number;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
}

/** Stable for a payer and a run, so that a turn that is reported twice opens one claim. */
export async function claimIdOf({ payer, runId }: Pick<NewClaim, "payer" | "runId">): Promise<string> {
  const digest = await sha256(JSON.stringify(["claim", payer, runId]));
  return `claim_${hexOf(digest.subarray(0, 16))}`;
}

export async function openClaim(database: Database, claim: NewClaim): Promise<void> {
  const id = await claimIdOf(claim);
  await withTable(database, () =>
    database
      .prepare(
        `INSERT INTO claims (id, payer, run_id, amount, status, created_at) VALUES (?1, ?2, ?3, ?4, 'open', ?5)
         ON CONFLICT (id) DO NOTHING`,
      )
      .bind(id, claim.payer, claim.runId, claim.amount, claim.createdAt)
      .run(),
  );
}

/** Removes settled claims that were opened before that time, RFC 3339, oldest first, a limited number per call. */
export async function removeOldClaims(database: Database, before: string): Promise<void> {
  await withTable(database, () =>
    database
      .prepare(
        `DELETE FROM claims WHERE id IN (
           SELECT id FROM claims INDEXED BY claims_settled WHERE status = 'settled' AND created_at < ?1
           ORDER BY created_at LIMIT ?2)`,
      )
      .bind(before, OLD_CLAIMS_AT_ONCE)
      .run(),
  );
}

/** Claims that one call separates from their payer. */
const ANONYMISED_AT_ONCE = 500;
/** The payer of settled claims whose user was erased. */
const ERASED_PAYER = "erased";

/** Removes the payer from their settled claims. Returns how many claims are not settled, and so still need their payer. */
export async function anonymiseClaims(database: Database, payer: string): Promise<number> {
  let changed: number;
  do {
    const { meta } = await withTable(database, () =>
      database
        .prepare(
          `UPDATE claims SET payer = ?2, run_id = '' WHERE id IN (
             SELECT id FROM claims WHERE payer = ?1 AND status = 'settled' ORDER BY created_at, id LIMIT ?3)`,
        )
        .bind(payer, ERASED_PAYER, ANONYMISED_AT_ONCE)
        .run(),
    );
    changed = meta.changes;
  } while (changed === ANONYMISED_AT_ONCE);
  const left = await database
    .prepare("SELECT COUNT(*) AS open FROM claims WHERE payer = ?1")
    .bind(payer)
    .first<{ open: number }>();
  return left?.open ?? 0;
}

/** Payers of one page. */
const LISTED_PAYERS = 200;
/** Finds the next payer in the index for each row, so that the cost does not depend on the number of claims. */
const NEXT_PAYERS = `
  WITH RECURSIVE payers (payer) AS (
    SELECT min(payer) FROM claims WHERE payer > ?1
    UNION ALL
    SELECT (SELECT min(payer) FROM claims WHERE claims.payer > payers.payer) FROM payers WHERE payers.payer IS NOT NULL
  )
  SELECT payer AS did, (
    SELECT min(created_at) FROM claims WHERE claims.payer = payers.payer AND status = 'settled') AS since
  FROM payers WHERE payer IS NOT NULL LIMIT ?2`;

/** Payers of settled claims, in the order of their DIDs. */
export async function payersOfClaims(database: Database, after: string): Promise<StoredUserPage> {
  const { results } = await withTable(database, () =>
    database.prepare(NEXT_PAYERS).bind(after, LISTED_PAYERS).all<{ did: string; since: string | null }>(),
  );
  const users = results.flatMap(({ did, since }): StoredUser[] => (since === null ? [] : [{ did, since }]));
  const last = results.at(-1);
  return { users, ...(last === undefined || results.length < LISTED_PAYERS ? {} : { next: last.did }) };
}

/** The newest unpaid claims. */
export async function unpaidClaims(database: Database, payer: string): Promise<readonly string[]> {
  const { results } = await withTable(database, () =>
    database
      .prepare(
        "SELECT id FROM claims WHERE payer = ?1 AND status <> 'settled' ORDER BY created_at DESC, id DESC LIMIT ?2",
      )
      .bind(payer, CLAIMS_OF_REFUSAL)
      .all<{ id: string }>(),
  );
  return results.map(({ id }) => id);
}

const cursorSchema = z.tuple([z.iso.datetime(), z.string().max(64)]);

interface ClaimRow {
  readonly id: string;
  readonly amount: number;
  readonly status: ClaimRecord["status"];
  readonly created_at: string;
}

export interface ClaimPage {
  readonly claims: readonly ClaimRecord[];
  readonly next?: string;
}

/** Newest first. Undefined for an unknown cursor. */
export async function claimPage(
  database: Database,
  payer: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<ClaimPage | undefined> {
  const behind = cursor === undefined ? (["~", ""] as const) : placeOf(cursor);
  if (behind === undefined) return undefined;
  const { results } = await withTable(database, () =>
    database
      .prepare(
        `SELECT id, amount, status, created_at FROM claims WHERE payer = ?1 AND (created_at, id) < (?2, ?3)
         ORDER BY created_at DESC, id DESC LIMIT ?4`,
      )
      .bind(payer, ...behind, limit + 1)
      .all<ClaimRow>(),
  );
  const rows = results.slice(0, limit);
  const last = rows.at(-1);
  return {
    claims: rows.map(({ id, amount, status, created_at }) => ({
      id,
      amount: creditsOf(amount),
      status,
      createdAt: created_at,
    })),
    ...(results.length > limit && last !== undefined ? { next: `${last.created_at}_${last.id}` } : {}),
  };
}

function placeOf(cursor: string): readonly [string, string] | undefined {
  const at = cursor.indexOf("_");
  const read = cursorSchema.safeParse([cursor.slice(0, at), cursor.slice(at + 1)]);
  return read.success ? read.data : undefined;
}
