/** `ctx.kv` of one plugin and one user over its own store, in Node. */
import { createPluginValues } from "../../../durable-objects/user-vault/plugin-values.ts";
import { createUserVaultSchema } from "../../../durable-objects/user-vault/schema.ts";
import { createPluginKv, type PluginKv } from "../../../oracle/framework/storage.ts";
import { success } from "../../../platform/result.ts";
import { createSqliteStorage } from "../storage/sqlite-storage.ts";

export function createKvInNode(plugin: string): PluginKv {
  const storage = createSqliteStorage();
  const values = createPluginValues(storage, createUserVaultSchema(storage));
  return createPluginKv(
    () => ({
      getPluginValue: async (...args) => values.get(...args),
      setPluginValue: async (...args) => values.set(...args),
      addPluginValue: async (plugin, key, value, expiry) => {
        if (values.get(plugin, key) !== null) return success(false);
        const stored = values.set(plugin, key, value, expiry && { at: expiry.at });
        return stored.ok ? success(true) : stored;
      },
      deletePluginValue: async (...args) => values.delete(...args),
      listPluginKeys: async (...args) => values.list(...args),
    }),
    plugin,
  );
}
