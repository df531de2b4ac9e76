/**
 * From a presented key to whom it speaks for. Asked of the database at every request: a revocation counts for the next
 * one (contract/registry.md section 9).
 */
import type { Caller } from "../caller.ts";
import type { RegistryRuntime } from "../context.ts";
import { readCredential, touchKey } from "../store/key-store.ts";
import { environmentOf } from "./key-text.ts";

export interface Presented {
  readonly secret: string;
  /** SHA-256 of the secret, hexadecimal. */
  readonly digest: string;
}

/** How often at most it is written that a key was used; milliseconds. */
const LAST_USE_PRECISION = 60_000;

/** `later` takes work that the answer need not wait for. */
export async function findCaller(
  { config, database, clock, secrets }: RegistryRuntime,
  { secret, digest }: Presented,
  later: (work: Promise<void>) => void,
): Promise<Caller | undefined> {
  const bootstrap = secrets.bootstrapCaller(digest);
  if (bootstrap !== undefined) return bootstrap;
  if (environmentOf(secret) !== config.REGISTRY_KEY_ENVIRONMENT) return undefined;
  const key = await readCredential(database, digest);
  const now = clock();
  if (key === undefined || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return undefined;
  if (key.lastUsedAt === null || key.lastUsedAt <= now - LAST_USE_PRECISION) {
    later(touchKey(database, key.caller.keyId, now, now - LAST_USE_PRECISION));
  }
  return key.caller;
}
