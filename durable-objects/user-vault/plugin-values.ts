/**
 * Values that plugins store for the user, by plugin and key, and the totals of each plugin. One write is one
 * transaction including the totals, so that concurrent writes cannot exceed a limit: writers queue here.
 */
import {
  KV_KEYS_PER_PLUGIN,
  KV_PAGE_SIZE,
  refusedKey,
  refusedValue,
  utf8Length,
  type KvRefusal,
  KV_USER_BYTES,
} from "../../oracle/framework/storage.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import type { PluginKeyPage } from "../../oracle/user-vault-rpc.ts";
import type { UserVaultSchema } from "./schema.ts";

/** Values are JSON as text. */
export interface PluginValues {
  get(plugin: string, key: string): string | null;
  /** Stores nothing if a limit would be exceeded. A value without an expiry stays until it is deleted. */
  set(plugin: string, key: string, value: string, expiry?: ValueExpiry): Result<null, KvRefusal>;
  /** Returns whether it existed. */
  delete(plugin: string, key: string): boolean;
  /** The keys with `prefix` after the key `after`, in the order of their UTF-16 units. */
  list(plugin: string, prefix: string, after: string | undefined): PluginKeyPage;
  /** Expired values, oldest first, at most `limit`. */
  expired(now: number, limit: number): readonly ExpiredValue[];
  /** When the next value expires, in Unix milliseconds. */
  nextExpiry(): number | undefined;
}

interface ValueExpiry {
  /** Unix milliseconds. */
  readonly at: number;
  /** The R2 object that belongs to it. */
  readonly blob?: string;
}

interface ExpiredValue {
  readonly plugin: string;
  readonly key: string;
  readonly blob: string | null;
}

export function createPluginValues(storage: ObjectStorage, { prepare, written }: UserVaultSchema): PluginValues {
  const { sql } = storage;
  const totals = createPluginTotals(storage);

  /** The counted bytes of a key's stored value; undefined if there is none. */
  function bytesOf(plugin: string, key: ArrayBuffer): number | undefined {
    return sql
      .exec<{ bytes: number }>("SELECT bytes FROM plugin_values WHERE plugin = ? AND key = ?", plugin, key)
      .toArray()[0]?.bytes;
  }

  function refusedTotals(plugin: string, keys: number, bytes: number): KvRefusal | undefined {
    if (keys > 0 && totals.of(plugin).keys + keys > KV_KEYS_PER_PLUGIN)
      return { limit: "keys", message: `A plugin can store at most ${KV_KEYS_PER_PLUGIN} keys for a user` };
    return totals.refusal(bytes);
  }

  return {
    get(plugin, key) {
      if (!written()) return null;
      const rows = sql.exec<{ value: string }>(
        "SELECT value FROM plugin_values WHERE plugin = ? AND key = ?",
        plugin,
        bytesOfKey(key),
      );
      return rows.toArray()[0]?.value ?? null;
    },
    set(plugin, key, value, expiry) {
      const refused = refusedKey(key) ?? refusedValue(value);
      if (refused !== undefined) return failure(refused);
      prepare();
      return storage.transactionSync(() => {
        const stored = bytesOfKey(key);
        const before = bytesOf(plugin, stored);
        const bytes = utf8Length(key) + utf8Length(value);
        const more = { keys: before === undefined ? 1 : 0, bytes: bytes - (before ?? 0) };
        const above = refusedTotals(plugin, more.keys, more.bytes);
        if (above !== undefined) return failure(above);
        sql.exec(
          `INSERT INTO plugin_values (plugin, key, value, bytes, expires_at, blob) VALUES (?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET value = excluded.value, bytes = excluded.bytes, expires_at = excluded.expires_at,
             blob = excluded.blob`,
          plugin,
          stored,
          value,
          bytes,
          expiry?.at ?? null,
          expiry?.blob ?? null,
        );
        totals.add(plugin, { ...more, texts: 0 });
        return success(null);
      });
    },
    delete(plugin, key) {
      if (!written()) return false;
      return storage.transactionSync(() => {
        const stored = bytesOfKey(key);
        const bytes = bytesOf(plugin, stored);
        if (bytes === undefined) return false;
        sql.exec("DELETE FROM plugin_values WHERE plugin = ? AND key = ?", plugin, stored);
        totals.add(plugin, { keys: -1, texts: 0, bytes: -bytes });
        return true;
      });
    },
    list(plugin, prefix, after) {
      if (!written()) return { keys: [] };
      // The query contains only existing bounds, so that it is one range of the index.
      const bounds: readonly (readonly [condition: string, bound: ArrayBuffer | undefined])[] = [
        ["key >= ?", prefix === "" ? undefined : bytesOfKey(prefix)],
        ["key > ?", after === undefined ? undefined : bytesOfKey(after)],
        ["key < ?", behindAll(prefix)],
      ];
      const given = bounds.filter((bound): bound is readonly [string, ArrayBuffer] => bound[1] !== undefined);
      const keys = sql
        .exec<{ key: ArrayBuffer }>(
          `SELECT key FROM plugin_values
           WHERE ${["plugin = ?", ...given.map(([condition]) => condition)].join(" AND ")} ORDER BY key LIMIT ?`,
          plugin,
          ...given.map(([, bound]) => bound),
          KV_PAGE_SIZE + 1,
        )
        .toArray()
        .map(({ key }) => keyOf(key));
      const page = keys.slice(0, KV_PAGE_SIZE);
      const last = page.at(-1);
      return keys.length > KV_PAGE_SIZE && last !== undefined ? { keys: page, after: last } : { keys: page };
    },
    expired(now, limit) {
      if (!written()) return [];
      return sql
        .exec<{ plugin: string; key: ArrayBuffer; blob: string | null }>(
          "SELECT plugin, key, blob FROM plugin_values WHERE expires_at <= ? ORDER BY expires_at LIMIT ?",
          now,
          limit,
        )
        .toArray()
        .map(({ plugin, key, blob }) => ({ plugin, key: keyOf(key), blob }));
    },
    nextExpiry() {
      if (!written()) return undefined;
      const query = "SELECT MIN(expires_at) AS at FROM plugin_values WHERE expires_at IS NOT NULL";
      return sql.exec<{ at: number | null }>(query).one().at ?? undefined;
    },
  };
}

function bytesOfKey(key: string): ArrayBuffer {
  const bytes = new DataView(new ArrayBuffer(key.length * 2));
  for (let index = 0; index < key.length; index += 1) bytes.setUint16(index * 2, key.charCodeAt(index));
  return bytes.buffer;
}

function keyOf(stored: ArrayBuffer): string {
  const bytes = new DataView(stored);
  const units = Array.from({ length: stored.byteLength / 2 }, (_, index) => bytes.getUint16(index * 2));
  return String.fromCharCode(...units);
}

/** The smallest bytes after every key with the prefix; undefined if there are none. */
function behindAll(prefix: string): ArrayBuffer | undefined {
  const bytes = new Uint8Array(bytesOfKey(prefix));
  const last = bytes.findLastIndex((byte) => byte < 0xff);
  if (last < 0) return undefined;
  bytes[last] = (bytes[last] ?? 0) + 1;
  return bytes.buffer.slice(0, last + 1);
}

export interface PluginTotals {
  /** The change of the totals; negative for a removal. */
  add(plugin: string, change: Totals): void;
  /** Why no more can be stored: the limit of all plugins together. */
  refusal(bytes: number): KvRefusal | undefined;
  of(plugin: string): Totals;
}

export interface Totals {
  readonly keys: number;
  readonly texts: number;
  readonly bytes: number;
}

const nothing: Totals = { keys: 0, texts: 0, bytes: 0 };

/** Call it in the transaction of the write, after the tables exist. */
export function createPluginTotals({ sql }: Pick<ObjectStorage, "sql">): PluginTotals {
  /** One row per plugin, so this reads few rows. */
  function bytesOfUser(): number {
    return sql.exec<{ bytes: number }>("SELECT COALESCE(SUM(bytes), 0) AS bytes FROM plugin_totals").one().bytes;
  }

  return {
    add(plugin, { keys, texts, bytes }) {
      sql.exec(
        `INSERT INTO plugin_totals (plugin, keys, texts, bytes) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET keys = keys + excluded.keys, texts = texts + excluded.texts, bytes = bytes + excluded.bytes`,
        plugin,
        keys,
        texts,
        bytes,
      );
      if (keys < 0 || texts < 0)
        sql.exec("DELETE FROM plugin_totals WHERE plugin = ? AND keys = 0 AND texts = 0", plugin);
    },
    refusal(bytes) {
      if (bytes <= 0 || bytesOfUser() + bytes <= KV_USER_BYTES) return undefined;
      const message = `Plugins can store at most ${KV_USER_BYTES} bytes of keys, values and texts for a user`;
      return { limit: "user", message };
    },
    of(plugin) {
      const [row] = sql
        .exec<{ keys: number; texts: number; bytes: number }>(
          "SELECT keys, texts, bytes FROM plugin_totals WHERE plugin = ?",
          plugin,
        )
        .toArray();
      return row ?? nothing;
    },
  };
}

/** Changes with each write of a plugin. In memory: an object that was reloaded starts with a revision that was never used. */
export function createRevision() {
  const life = crypto.randomUUID();
  let writes = 0;
  return { now: () => `${life}.${writes}`, next: () => void (writes += 1) };
}
