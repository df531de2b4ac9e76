/** Creates keys: new ones, and successors of rotated ones. */
import { sha256Hex } from "../../../platform/digest.ts";
import { type Result, success } from "../../../platform/result.ts";
import type { RegistryRuntime } from "../context.ts";
import { refused } from "../failures.ts";
import { newIdentifier } from "../did.ts";
import { insertKey, type KeyRecord, replaceKey } from "../store/key-store.ts";
import { KEY_BYTES, keyText, START_LENGTH } from "./caller-of-key.ts";

export interface IssuedKey {
  /** The secret: returned once, never stored. */
  readonly key: string;
  readonly record: KeyRecord;
}

type Maker = Pick<RegistryRuntime, "database" | "clock" | "randomBytes">;
export type KeyWish = Pick<KeyRecord, "label" | "did" | "role" | "scopes" | "expiresAt" | "environment">;

export async function issueKey(maker: Maker, wish: KeyWish): Promise<IssuedKey> {
  const made = await makeKey(maker, wish, maker.clock());
  await insertKey(maker.database, made.issued.record, made.hash);
  return made.issued;
}

/**
 * A new key with the rights and lifetime of the old one. The old key ends after `overlap` milliseconds, or at its own
 * end if that is earlier. A key can be rotated once; after that, its successor is rotated.
 */
export async function rotateKey(
  maker: Maker,
  old: KeyRecord,
  overlap: number,
  now: number,
): Promise<Result<IssuedKey>> {
  const hasEnded = old.expiresAt !== null && old.expiresAt <= now;
  if (old.revokedAt !== null || old.replacedBy !== null || hasEnded) return notRotatable;
  const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
  const { issued, hash } = await makeKey(maker, { ...old, expiresAt }, now);
  const end = Math.min(old.expiresAt ?? Infinity, now + overlap);
  const outcome = await replaceKey(maker.database, { id: old.id, expiresAt: end }, issued.record, hash);
  return outcome === "committed" ? success(issued) : notRotatable;
}

const notRotatable = refused("key_not_rotatable", "The key is already revoked, expired or replaced; issue a new one");

async function makeKey({ randomBytes }: Maker, wish: KeyWish, now: number) {
  const key = keyText(wish.environment, randomBytes(KEY_BYTES));
  const { label, did, role, scopes, expiresAt, environment } = wish;
  const record: KeyRecord = {
    id: newIdentifier("key", randomBytes),
    label,
    environment,
    start: key.slice(0, START_LENGTH),
    did,
    role,
    scopes,
    createdAt: now,
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
  };
  return { issued: { key, record }, hash: await sha256Hex(key) };
}
