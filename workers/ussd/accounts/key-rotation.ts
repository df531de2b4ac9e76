/**
 * Rotation of keys in batches (PH-102): PINs and private keys that an older key sealed are sealed again by the current
 * one. A customer's concurrent change is never overwritten. Nothing is hashed, so no PIN is needed.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { KeyRing, Sealed, SealUse } from "../key-ring.ts";
import { auditStatement } from "./audit.ts";
import type { AccountSettings } from "./settings.ts";

/** Customers in one batch: two statements each, well below the limit of one request. */
const ROTATION_BATCH = 50;

export interface RotationReport {
  /** Customers read. */
  readonly examined: number;
  /** Sealed values renewed. */
  readonly resealed: number;
  /** Values that no key of the ring opens; left unchanged. */
  readonly unreadable: number;
  /** The `after` of the next batch; null at the end. */
  readonly next: number | null;
}

interface SealedRow {
  readonly id: number;
  readonly customer_id: string;
  readonly pin_sealed: string | null;
  readonly pin_key_id: string | null;
  readonly key_sealed: string | null;
  readonly key_sealed_by: string | null;
}

/** `after`: the `next` of the previous report, 0 at the start. */
export async function rotateKeys(settings: AccountSettings, after: number): Promise<RotationReport> {
  const { database, ring } = settings;
  const { results: rows } = await database
    .prepare(
      `SELECT id, customer_id, pin_sealed, pin_key_id, key_sealed, key_sealed_by FROM customers
       WHERE id > ?1 AND (pin_key_id <> ?2 OR key_sealed_by <> ?2) ORDER BY id LIMIT ?3`,
    )
    .bind(after, ring.currentId, ROTATION_BATCH)
    .all<SealedRow>();
  const statements: Statement[] = [];
  let unreadable = 0;
  for (const row of rows) {
    for (const column of ["pin", "key"] as const) {
      const renewed = await renew(settings, row, column);
      if (renewed === "unreadable") unreadable += 1;
      else if (renewed !== undefined) statements.push(renewed);
    }
  }
  const last = rows.at(-1);
  const next = rows.length < ROTATION_BATCH || last === undefined ? null : last.id;
  const outcomes = statements.length === 0 ? [] : await database.batch(statements);
  const resealed = outcomes.reduce((total, { meta }) => total + meta.changes, 0);
  const detail = { keyId: ring.currentId, resealed, unreadable };
  await auditStatement(settings, { event: "KEYS_ROTATED", customerId: null, caller: null, detail }).run();
  return { examined: rows.length, resealed, unreadable, next };
}

const columns = {
  pin: { value: "pin_sealed", keyId: "pin_key_id", use: "pin" },
  key: { value: "key_sealed", keyId: "key_sealed_by", use: "identity" },
} as const;

async function renew(
  { database, ring }: AccountSettings,
  row: SealedRow,
  column: keyof typeof columns,
): Promise<Statement | "unreadable" | undefined> {
  const { value, keyId, use } = columns[column];
  const sealed = { value: row[value], keyId: row[keyId] };
  if (!isSealed(sealed) || sealed.keyId === ring.currentId) return undefined;
  const renewed = await reseal(ring, sealed, use, row.customer_id);
  if (renewed === undefined) return "unreadable";
  return database
    .prepare(`UPDATE customers SET ${value} = ?3, ${keyId} = ?4 WHERE id = ?1 AND ${value} = ?2`)
    .bind(row.id, sealed.value, renewed.value, renewed.keyId);
}

function isSealed(value: { readonly value: string | null; readonly keyId: string | null }): value is Sealed {
  return value.value !== null && value.keyId !== null;
}

async function reseal(ring: KeyRing, sealed: Sealed, use: SealUse, customerId: string): Promise<Sealed | undefined> {
  const text = await ring.open(sealed, use, customerId);
  return text === undefined ? undefined : await ring.seal(text, use, customerId);
}
