/**
 * How much each plugin keeps for the user, one row a plugin: keys and texts, and the bytes of both. Every write changes it in its
 * own transaction, so that no limit is ever counted out.
 */
import { KV_USER_BYTES, type KvRefusal } from "../../oracle/framework/storage.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";

export interface PluginTotals {
  /** What a change adds, or with a minus takes away. */
  add(plugin: string, change: Totals): void;
  /** Why more may not be stored: the limit of all plugins together. */
  refusal(bytes: number): KvRefusal | undefined;
  of(plugin: string): Totals;
}

export interface Totals {
  readonly keys: number;
  readonly texts: number;
  readonly bytes: number;
}

const nothing: Totals = { keys: 0, texts: 0, bytes: 0 };

/** To be called in the transaction of the write, once the tables are there. */
export function createPluginTotals({ sql }: Pick<ObjectStorage, "sql">): PluginTotals {
  /** One row a plugin, so this reads few. */
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
      const message = `Plugins hold at most ${KV_USER_BYTES} bytes of keys, values and texts for a user`;
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
