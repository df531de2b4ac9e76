/**
 * The daily quotas that keys, their owners and domains have used. A use is counted in the batch of its effect, where a
 * constraint of the table refuses a use beyond the quota: there is no read before it, and two concurrent writers cannot
 * both take the last unit.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { type Caller, holds } from "../caller.ts";
import type { RegistryConfig } from "../config.ts";
import type { DomainStep } from "../domain/domain.ts";
import { changesBetween } from "../domain/representation.ts";
import { overQuota } from "../failures.ts";

/** Milliseconds. */
const DAY = 86_400_000;
/** Bytes of a write's rows and index entries, in addition to its texts. */
const ROW_BYTES = 1_000;

export type QuotaSettings = Pick<
  RegistryConfig,
  | "REGISTRY_KEY_BYTES_PER_DAY"
  | "REGISTRY_OWNER_BYTES_PER_DAY"
  | "REGISTRY_OWNER_PROPOSALS_PER_DAY"
  | "REGISTRY_DOMAIN_PROPOSALS_PER_DAY"
>;

export interface QuotaUse {
  readonly caller: Pick<Caller, "keyId" | "did" | "scopes">;
  /** Approximate bytes that the write stores. */
  readonly bytes: number;
  /** The domain of the proposal that is opened. */
  readonly proposedOn?: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** No statements for admins, because they import whole registries. */
export function quotaStatements(
  database: Database,
  settings: QuotaSettings,
  { caller, bytes, proposedOn, at }: QuotaUse,
): readonly Statement[] {
  if (holds(caller.scopes, "registry:admin")) return [];
  const proposals = proposedOn === undefined ? 0 : 1;
  const uses = [
    [`key:${caller.keyId}`, bytes, settings.REGISTRY_KEY_BYTES_PER_DAY, 0, 0],
    [
      `owner:${caller.did}`,
      bytes,
      settings.REGISTRY_OWNER_BYTES_PER_DAY,
      proposals,
      settings.REGISTRY_OWNER_PROPOSALS_PER_DAY,
    ],
    ...(proposedOn === undefined
      ? []
      : [[`domain:${proposedOn}`, 0, 0, proposals, settings.REGISTRY_DOMAIN_PROPOSALS_PER_DAY]]),
  ];
  return [
    database
      .prepare(
        `INSERT INTO quota_uses (subject, day, bytes, allowed_bytes, proposals, allowed_proposals)
         SELECT value ->> 0, ?2, CAST(value ->> 1 AS INTEGER), CAST(value ->> 2 AS INTEGER), CAST(value ->> 3 AS INTEGER),
           CAST(value ->> 4 AS INTEGER) FROM json_each(?1) WHERE true
         ON CONFLICT (subject, day) DO UPDATE SET bytes = quota_uses.bytes + excluded.bytes, allowed_bytes = excluded.allowed_bytes,
           proposals = quota_uses.proposals + excluded.proposals, allowed_proposals = excluded.allowed_proposals`,
      )
      .bind(JSON.stringify(uses), dayOf(at)),
  ];
}

/**
 * Approximate bytes that a version of a domain stores: the row, its text in the search index, and in the history the
 * snapshot and the changes.
 */
export function bytesOfStep({ before, after }: DomainStep): number {
  const now = bytesOf(after);
  return ROW_BYTES + 2 * now + (before === undefined ? now : bytesOf(changesBetween(before, after)));
}

/** Approximate bytes of a response that is stored for an Idempotency-Key. */
export function bytesOfAnswer(slot: object, use: object): number {
  return ROW_BYTES + bytesOf(slot) + bytesOf(use);
}

/** As JSON in UTF-8, as it is stored: most scripts use two or three bytes per character. */
export function bytesOf(value: object): number {
  return encoder.encode(JSON.stringify(value)).byteLength;
}

const encoder = new TextEncoder();

/** Removes the uses of past days, at most `limit`. */
export async function removeOldUses(database: Database, now: number, limit: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM quota_uses WHERE (subject, day) IN (
         SELECT subject, day FROM quota_uses INDEXED BY quota_uses_by_day WHERE day < ?1 LIMIT ?2)`,
    )
    .bind(dayOf(now), limit)
    .run();
}

/** The failure of a write beyond a quota. */
export function refusedByQuota(now: number) {
  return overQuota(Math.max(1, Math.ceil((DAY - (now % DAY)) / 1_000)));
}

function dayOf(at: number): number {
  return Math.floor(at / DAY);
}
