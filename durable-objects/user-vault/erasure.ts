/** Deletes data of a user that is outside the vault's tables: sessions in their objects, and blobs in R2. */
import { describeThrown, type Logger } from "../../platform/log.ts";
import { sessionByName } from "../chat-session/calls.ts";
import type { PluginValues } from "./plugin-values.ts";
import type { UserVaultStore } from "./store.ts";

/** How many sessions are destroyed at once. */
const SESSIONS_AT_ONCE = 20;
/** How many expired values one alarm deletes. */
export const EXPIRED_AT_ONCE = 100;
/** When the alarm retries a deletion that R2 refused, milliseconds. */
const EXPIRY_RETRY_MS = 60 * 60_000;

/** Destroys each session of the user, which stops its run. */
export async function destroySessions(
  store: Pick<UserVaultStore, "listSessions" | "removeSession">,
  objects: Env["CHAT_SESSION"],
  did: string,
): Promise<void> {
  for (;;) {
    const { sessions } = store.listSessions({ limit: SESSIONS_AT_ONCE, offset: 0 });
    if (sessions.length === 0) return;
    await Promise.all(
      sessions.map(async ({ sessionId }) => {
        // If its object does not know the session, the session was destroyed before.
        await sessionByName(objects, sessionId).destroy(did);
        store.removeSession(sessionId);
      }),
    );
  }
}

/**
 * Destroys the least recently used sessions whose last message is older than `time`, in milliseconds; a limited number, so that
 * the next alarm continues.
 */
export async function destroyOldSessions(
  store: Pick<UserVaultStore, "oldestSessions" | "removeSession">,
  objects: Env["CHAT_SESSION"],
  did: () => string,
  time: number | undefined,
  now: number,
): Promise<void> {
  if (time === undefined) return;
  const old = store.oldestSessions(SESSIONS_AT_ONCE).filter(({ lastUpdatedAt }) => endOf(lastUpdatedAt, time) <= now);
  await Promise.all(
    old.map(async ({ sessionId }) => {
      await sessionByName(objects, sessionId).destroy(did());
      store.removeSession(sessionId);
    }),
  );
}

/** The end of the least recently used session, Unix milliseconds; undefined without sessions, or if sessions are kept forever. */
export function oldestSessionEnd(
  store: Pick<UserVaultStore, "oldestSessions">,
  time: number | undefined,
): number | undefined {
  const oldest = time === undefined ? undefined : store.oldestSessions(1)[0];
  return oldest === undefined || time === undefined ? undefined : endOf(oldest.lastUpdatedAt, time);
}

function endOf(lastUpdatedAt: string, time: number): number {
  return Date.parse(lastUpdatedAt) + time;
}

/** Deletes expired values and their blobs. Returns when to continue, Unix milliseconds. */
export async function deleteExpired(
  values: PluginValues,
  revision: { readonly next: () => void },
  bucket: R2Bucket | undefined,
  log: Logger,
  now: number,
): Promise<number | undefined> {
  const expired = values.expired(now, EXPIRED_AT_ONCE);
  const blobs = expired.flatMap(({ blob }) => blob ?? []);
  try {
    // Blobs first: a value is the only trace of its blob.
    if (blobs.length > 0) await bucket?.delete(blobs);
  } catch (thrown) {
    log.error("expired-blobs-kept", { count: blobs.length, reason: describeThrown(thrown) });
    return now + EXPIRY_RETRY_MS;
  }
  if (expired.length > 0) revision.next();
  // A new value with a new blob may be stored in its place by now.
  for (const { plugin, key, blob } of values.expired(now, EXPIRED_AT_ONCE))
    if (blob === null || blobs.includes(blob)) values.delete(plugin, key);
  return values.nextExpiry();
}
