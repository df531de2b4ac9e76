/**
 * Where messages are kept until the oracle has taken them: IndexedDB, or the page's memory where there is none or the browser
 * refuses it. Each key names the user first, so that nothing of one user is read for another.
 */
import { createStore, del, get, keys, set, type UseStore } from "idb-keyval";
import type { QueueStore } from "../oracle-client.ts";
import { pageStore } from "../page-store.ts";

const PREFIX = "twinedge-queue";

const joined = (parts: readonly string[]): string => parts.map(encodeURIComponent).join("/");

/** All keys of one user. */
const userKey = (userDid: string): string => `${PREFIX}/${joined([userDid])}/`;

/** All keys of one session's chat. */
export const sessionKey = (userDid: string, oracleDid: string, sessionId: string): string =>
  `${userKey(userDid)}${joined([oracleDid, sessionId])}/`;

/** A browser's storage, which says what it holds. */
type ListedStore = Pick<Storage, "length" | "key" | "removeItem">;

/**
 * Forgets what is kept of a user on this device: the messages that were not sent yet and the signed tokens. Call it when they sign out
 * on a device that others use, once their client is disposed of. The key of `createSigner` stays.
 *
 * @param userDid the user's DID
 * @param store where the messages are kept; by default where the SDK keeps them
 * @param tokens where the tokens are kept: `localStorage` by default, null when they are in memory or in a store of your own
 *
 * @example
 * client.dispose();
 * await clearUserData(client.userDid);
 */
export async function clearUserData(
  userDid: string,
  store: QueueStore = createQueueStore(),
  tokens: ListedStore | null = pageStore(),
): Promise<void> {
  if (tokens !== null) forgetTokens(userDid, tokens);
  const own = (await store.keys()).filter((key) => key.startsWith(userKey(userDid)));
  await Promise.all(own.map((key) => store.delete(key)));
}

function forgetTokens(userDid: string, tokens: ListedStore): void {
  const names = Array.from({ length: tokens.length }, (_, index) => tokens.key(index) ?? "");
  const isOwn = (name: string): boolean =>
    name === `twinedge-openid:${userDid}` || /^twinedge (?:delegation|invocation) (\S+) /.exec(name)?.[1] === userDid;
  for (const name of names.filter(isOwn)) tokens.removeItem(name);
}

export function createMemoryStore(): QueueStore {
  const values = new Map<string, unknown>();
  return {
    get: (key) => Promise.resolve(values.get(key)),
    set: (key, value) => Promise.resolve(void values.set(key, structuredClone(value))),
    delete: (key) => Promise.resolve(void values.delete(key)),
    keys: () => Promise.resolve([...values.keys()]),
  };
}

/** Opens the database with its first use. From the first failure on it is the page's memory. */
export function createQueueStore(): QueueStore {
  const memory = createMemoryStore();
  let database: UseStore | undefined;
  let isBroken = !("indexedDB" in globalThis);

  async function use<Value>(
    stored: (database: UseStore) => Promise<Value>,
    remembered: () => Promise<Value>,
  ): Promise<Value> {
    if (isBroken) return remembered();
    try {
      database ??= createStore("twinedge", "queue");
      return await stored(database);
    } catch {
      isBroken = true;
      return remembered();
    }
  }

  return {
    get: (key) =>
      use<unknown>(
        (database) => get(key, database),
        () => memory.get(key),
      ),
    set: (key, value) =>
      use(
        (database) => set(key, value, database),
        () => memory.set(key, value),
      ),
    delete: (key) =>
      use(
        (database) => del(key, database),
        () => memory.delete(key),
      ),
    keys: () => use<readonly string[]>((database) => keys<string>(database), memory.keys),
  };
}
