/** All SQL about idempotency keys. A row is written in the batch of its effect. */

import type { Database, Statement } from "../../../platform/database/database.ts";
import { readAnswer, type StoredAnswer } from "./stored-columns.ts";

/** One caller's use of one key on one route. */
export interface IdempotencySlot {
  readonly did: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
}

export interface StoredUse {
  /** SHA-256 of the request's body, in hexadecimal. */
  readonly fingerprint: string;
  readonly answer: StoredAnswer;
}

const SLOT = "did = ?1 AND method = ?2 AND path = ?3 AND key = ?4";

export async function readUse(
  database: Database,
  { did, method, path, key }: IdempotencySlot,
  now: number,
): Promise<StoredUse | undefined> {
  const row = await database
    .prepare(`SELECT fingerprint, answer FROM idempotency WHERE ${SLOT} AND expires_at > ?5`)
    .bind(did, method, path, key, now)
    .first<{ fingerprint: string; answer: string }>();
  if (row === null) return undefined;
  return { fingerprint: row.fingerprint, answer: readAnswer(row.answer) };
}

/** A second use fails on the key, and its whole batch fails. An expired row is removed first. */
export function useStatements(
  database: Database,
  { did, method, path, key }: IdempotencySlot,
  use: StoredUse,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number },
): readonly Statement[] {
  return [
    database.prepare(`DELETE FROM idempotency WHERE ${SLOT} AND expires_at <= ?5`).bind(did, method, path, key, now),
    database
      .prepare(
        "INSERT INTO idempotency (did, method, path, key, fingerprint, answer, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      )
      .bind(did, method, path, key, use.fingerprint, JSON.stringify(use.answer), expiresAt),
  ];
}

/** Removes uses that can no longer be replayed, at most `limit` rows, so that one run stays short. */
export async function removeExpiredUses(database: Database, now: number, limit: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM idempotency WHERE (did, method, path, key) IN
         (SELECT did, method, path, key FROM idempotency WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`,
    )
    .bind(now, limit)
    .run();
}
