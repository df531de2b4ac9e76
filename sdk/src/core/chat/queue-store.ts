/**
 * Where messages are kept until the oracle has taken them: IndexedDB, or the page's memory where there is none or the browser
 * refuses it. Each key names the user first, so that nothing of one user is read for another.
 */
import { createStore, del, get, keys, set, type UseStore } from "idb-keyval";
import type { QueueStore } from "../oracle-client.ts";

const PREFIX = "twinedge-queue";

const joined = (parts: readonly string[]): string => parts.map(encodeURIComponent).join("/");

/** All keys of one user. */
export const userKey = (userDid: string): string => `${PREFIX}/${joined([userDid])}/`;

/** All keys of one session's chat. */
export const sessionKey = (userDid: string, oracleDid: string, sessionId: string): string =>
  `${userKey(userDid)}${joined([oracleDid, sessionId])}/`;

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
