/**
 * `ctx.kv`: a plugin's values in the user's object. Values cross as JSON text, refusals as plain data, since a class loses
 * its identity on the way; what is above a limit of its own does not cross at all.
 */
import type { JsonValue } from "../../platform/json.ts";
import type { Result } from "../../platform/result.ts";
import type { PluginKeyPage } from "../user-vault-rpc.ts";
import { KvLimitError, refusedKey, refusedValue, type KvExpiry, type KvRefusal, type PluginKv } from "./storage.ts";

/** The calls of the user's object that `ctx.kv` makes. */
export interface PluginValueCalls {
  getPluginValue(plugin: string, key: string): Promise<string | null>;
  setPluginValue(plugin: string, key: string, json: string): Promise<Result<null, KvRefusal>>;
  addPluginValue(plugin: string, key: string, json: string, expiry?: KvExpiry): Promise<Result<boolean, KvRefusal>>;
  deletePluginValue(plugin: string, key: string): Promise<boolean>;
  listPluginKeys(plugin: string, prefix: string, after?: string): Promise<PluginKeyPage>;
}

/** `store` gives the user's object for one call: a stub whose object was lost stays broken. */
export function createPluginKv(store: () => PluginValueCalls, plugin: string): PluginKv {
  return {
    async get(key) {
      allow(refusedKey(key));
      const value = await reached(store().getPluginValue(plugin, key), "read");
      return value === null ? undefined : (JSON.parse(value) as JsonValue);
    },
    async set(key, value) {
      const json = allowed(key, value);
      const stored = await reached(store().setPluginValue(plugin, key, json), "write");
      if (!stored.ok) allow(stored.error);
    },
    async setIfAbsent(key, value, expiry) {
      const json = allowed(key, value);
      const added = await reached(store().addPluginValue(plugin, key, json, expiry), "write");
      if (!added.ok) allow(added.error);
      return added.ok && added.value;
    },
    async delete(key) {
      allow(refusedKey(key));
      return reached(store().deletePluginValue(plugin, key), "write");
    },
    async list(prefix = "", cursor) {
      if (prefix !== "") allow(refusedKey(prefix));
      const behind = cursor === undefined ? undefined : keyOfCursor(cursor);
      const { keys, after } = await reached(store().listPluginKeys(plugin, prefix, behind), "read");
      return after === undefined ? { keys } : { keys, cursor: cursorOf(after) };
    },
  };
}

/** The JSON of a value that may be sent. */
function allowed(key: string, value: JsonValue): string {
  allow(refusedKey(key));
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError("A value is JSON, not undefined: delete the key instead");
  allow(refusedValue(json));
  return json;
}

export function allow(refusal: KvRefusal | undefined): void {
  if (refusal !== undefined) throw new KvLimitError(refusal.limit, refusal.message);
}

/** What a call that failed on its way means, in words that a model can read too. */
export async function reached<Value>(call: Promise<Value>, kind: "read" | "write"): Promise<Value> {
  try {
    return await call;
  } catch (cause) {
    const outcome = kind === "read" ? "Nothing was read." : "Whether the change was stored is unknown.";
    throw new Error(`The user's storage could not be reached. ${outcome}`, { cause });
  }
}

/** Four hexadecimal digits a unit: fit for a URL, whatever the key holds. */
function cursorOf(key: string): string {
  return Array.from({ length: key.length }, (_, index) => key.charCodeAt(index).toString(16).padStart(4, "0")).join("");
}

function keyOfCursor(cursor: string): string {
  if (!/^(?:[0-9a-f]{4})+$/.test(cursor)) throw new KvLimitError("key", "A cursor is one that list() gave");
  const units = cursor.match(/.{4}/g) ?? [];
  const key = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  allow(refusedKey(key));
  return key;
}
