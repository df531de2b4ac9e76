/**
 * The suppression list: keyed digests of erased users, which an operator keeps outside of the database and adds again after a
 * restore. Then the restored users are found by their digests, and erased again.
 */
import { hexOf } from "../../../platform/digest.ts";
import { fail } from "../../../platform/failure.ts";
import { oracleSeed } from "../../../platform/auth/oracle-signer.ts";
import { success, type Result } from "../../../platform/result.ts";
import type { StoredUser } from "../../../oracle/framework/erasure.ts";
import { outsideContext } from "../outside-context.ts";
import { erasuresIn, type EraseParts } from "./erase-user.ts";
import { subjectOf, type ErasedUser, type Erasures } from "./erasures.ts";

/** Entries of one page and of one request. */
export const LISTED_USERS = 200;
/** The prefix of a subject under the oracle's key; the digests of older rows have none. */
const KEYED = "keyed:";

export interface ErasedUsers {
  /** The digest by which the list names the user. */
  subjectOf(did: string): Promise<string>;
  list(after: string): Promise<{ readonly erased: readonly ErasedUser[]; readonly next: string | null }>;
  add(erased: readonly ErasedUser[]): Promise<void>;
  /** Compares these users with the list, whatever is stored about them. */
  reapplyTo(dids: readonly string[]): Promise<Reapplied>;
  /** Compares one page of the users that plugins name (`storedUsers`). */
  reapply(after: string): Promise<Reapplied>;
}

export interface Reapplied {
  readonly examined: number;
  /** Users whose erasure is noted again; the schedule erases them. */
  readonly found: number;
  /** The `after` of the next request; null at the end. */
  readonly next: string | null;
}

/** Fails without a database, or without a key of the oracle. */
export async function erasedUsers(parts: EraseParts): Promise<Result<ErasedUsers>> {
  const { env, runtime, clock } = parts.outside;
  const erasures = erasuresIn(env);
  if (erasures === undefined) return fail("conflict", "The list needs the binding DATABASE");
  const seed = await oracleSeed(runtime.config.ORACLE_SIGNING_SEED, runtime.config.ORACLE_MNEMONIC);
  if (seed === undefined) return fail("conflict", "The list needs a key: set ORACLE_SIGNING_SEED, or ORACLE_MNEMONIC");
  const key = await listKey(seed);
  const keyed = async (subject: string): Promise<string> =>
    subject.startsWith(KEYED) ? subject : KEYED + (await macOf(key, subject));

  async function compare(users: readonly { did: string; since?: string }[]): Promise<number> {
    const found = await restored(erasures as Erasures, keyed, users);
    for (const did of found) await (erasures as Erasures).note(did, clock());
    return found.length;
  }

  return success({
    subjectOf: async (did) => keyed(await subjectOf(did)),
    async list(after) {
      const rows = await erasures.list(after, LISTED_USERS);
      const erased = await Promise.all(
        rows.map(async ({ subject, erasedAt }) => ({ subject: await keyed(subject), erasedAt })),
      );
      return { erased, next: rows.length < LISTED_USERS ? null : (rows.at(-1)?.subject ?? null) };
    },
    add: (erased) => erasures.add(erased),
    async reapplyTo(dids) {
      return { examined: dids.length, found: await compare(dids.map((did) => ({ did }))), next: null };
    },
    async reapply(after) {
      const [, index = "0", position = ""] = /^(\d{1,4}):(.*)$/s.exec(after) ?? [];
      const at = Number(index);
      const edge = parts.plugins[at];
      if (edge === undefined) return { examined: 0, found: 0, next: null };
      const context = outsideContext(edge, parts.outside);
      const { users = [], next } = (await edge.plugin.storedUsers?.(position, context)) ?? {};
      const found = await compare(users);
      return { examined: users.length, found, next: next === undefined ? `${at + 1}:` : `${at}:${next}` };
    },
  });
}

/** The users of the list whose data is older than their erasure. */
async function restored(
  erasures: Erasures,
  keyed: (subject: string) => Promise<string>,
  users: readonly (Pick<StoredUser, "did"> & Partial<StoredUser>)[],
): Promise<readonly string[]> {
  const named = await Promise.all(
    users.map(async ({ did, since }) => {
      const subject = await subjectOf(did);
      return { did, since, subjects: [subject, await keyed(subject)] };
    }),
  );
  const entries = await erasures.find(named.flatMap(({ subjects }) => subjects));
  const erasedAt = new Map(entries.map(({ subject, erasedAt }) => [subject, erasedAt]));
  const isErased = (subject: string, since: string | undefined): boolean => {
    const time = erasedAt.get(subject);
    return time !== undefined && (since === undefined || Date.parse(since) <= Date.parse(time));
  };
  return named.flatMap(({ did, since, subjects }) =>
    subjects.some((subject) => isErased(subject, since)) ? [did] : [],
  );
}

async function listKey(seed: Uint8Array): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", new Uint8Array(seed), "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode("twinedge erased users");
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    material,
    { name: "HMAC", hash: "SHA-256", length: 256 },
    false,
    ["sign"],
  );
}

async function macOf(key: CryptoKey, text: string): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))));
}
