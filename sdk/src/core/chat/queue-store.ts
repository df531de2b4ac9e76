/**
 * Stores messages until the oracle has accepted them: in IndexedDB, or in the page's memory if the browser has none or
 * refuses it. Each key starts with the user, so that messages of one user are never read for another.
 */
import { createStore, del, get, keys, set, type UseStore } from "idb-keyval";
import type { QueueStore } from "../client-settings.ts";

const PREFIX = "twinedge-queue";

const joined = (parts: readonly string[]): string => parts.map(encodeURIComponent).join("/");

/** The prefix of all keys of one user. */
export const userKey = (userDid: string): string => `${PREFIX}/${joined([userDid])}/`;

/** The prefix of all keys of one session's chat. */
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

/**
 * Opens the database when it is first used, and again after it refuses. Values that it still refuses stay in the page's
 * memory: a full disk, or a connection that the browser has closed, is often temporary.
 */
export function createQueueStore(): QueueStore {
  const memory = createMemoryStore();
  /** Keys that could not be deleted. They are hidden, and deleted as soon as that works. */
  const deletedKeys = new Set<string>();
  let database: UseStore | undefined;

  async function use<Value>(work: (database: UseStore) => Promise<Value>): Promise<Value> {
    try {
      database ??= createStore("twinedge", "queue");
      return await work(database);
    } catch {
      database = createStore("twinedge", "queue");
      return await work(database);
    }
  }

  async function remove(key: string): Promise<void> {
    deletedKeys.add(key);
    await memory.delete(key);
    await use((database) => del(key, database));
    deletedKeys.delete(key);
  }

  return {
    get: async (key) =>
      (await memory.get(key)) ?? (await use((database) => get<unknown>(key, database)).catch(() => undefined)),
    async set(key, value) {
      deletedKeys.delete(key);
      try {
        await use((database) => set(key, value, database));
        await memory.delete(key);
        return true;
      } catch {
        await memory.set(key, value);
        return false;
      }
    },
    delete: remove,
    async keys() {
      await Promise.allSettled([...deletedKeys].map(remove));
      const stored = await use((database) => keys<string>(database)).catch((): string[] => []);
      return [...new Set([...stored.filter((key) => !deletedKeys.has(key)), ...(await memory.keys())])];
    },
  };
}
