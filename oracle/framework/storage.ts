/**
 * A plugin's storage for a user: small values and texts in the user's object, large values in R2 (plugin-blobs.ts). The interfaces
 * for plugins, their limits, and the calls to the user's object.
 */
import type { JsonObject, JsonValue } from "../../platform/json.ts";
import type { Result } from "../../platform/result.ts";
import type { PluginKeyPage, PluginText, PluginTextPage } from "../user-vault-rpc.ts";

/** Maximum size of one value, bytes of its JSON. */
export const KV_VALUE_BYTES = 256 * 1024;
/** Maximum length of a key, UTF-16 units; the minimum is 1. */
export const KV_KEY_LENGTH = 512;
/** Maximum number of keys of a plugin for one user. */
export const KV_KEYS_PER_PLUGIN = 10_000;
/** Maximum size of all plugins' keys and values for one user, bytes. */
export const KV_USER_BYTES = 32 * 1024 * 1024;
/** Number of keys in one page of a list. */
export const KV_PAGE_SIZE = 1_000;

/**
 * Values of one plugin and one user. Every call reads or writes the user's object: strongly consistent, one hop. An empty or
 * oversized key throws a `KvLimitError`. If the user's object is unreachable, the call throws an error with that message.
 */
export interface PluginKv {
  get(key: string): Promise<JsonValue | undefined>;
  /** Throws a `KvLimitError`, and stores nothing, if the value, the number of keys or the user's total exceeds its limit. */
  set(key: string, value: JsonValue): Promise<void>;
  /**
   * Stores the value if the key has none, and returns whether it did: of two concurrent callers, one succeeds. Throws as `set`
   * does. With `expiry`, the value is deleted automatically, unless `set` replaces it first.
   */
  setIfAbsent(key: string, value: JsonValue, expiry?: KvExpiry): Promise<boolean>;
  /** Returns whether the key existed. */
  delete(key: string): Promise<boolean>;
  /** Keys in order of their UTF-16 units, at most 1,000; `cursor` continues after the page that returned it. */
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}

/** When a value is deleted. */
export interface KvExpiry {
  /** Unix milliseconds. */
  readonly at: number;
  /** The key in `ctx.blobs` of a blob that is deleted with the value. */
  readonly blob?: string;
}

export class KvLimitError extends Error {
  override readonly name = "KvLimitError";
  /** The exceeded limit: the size of a key or value, the plugin's number of keys, or the user's total. */
  readonly limit: "key" | "value" | "keys" | "user";

  constructor(limit: KvLimitError["limit"], message: string) {
    super(message);
    this.limit = limit;
  }
}

/** The exceeded limit of a key or value, as plain data: a class does not survive the call. */
export type KvRefusal = Pick<KvLimitError, "limit" | "message">;

export function refusedKey(key: string): KvRefusal | undefined {
  if (key.length > 0 && key.length <= KV_KEY_LENGTH) return undefined;
  return { limit: "key", message: `A key must have 1 to ${KV_KEY_LENGTH} characters; this one has ${key.length}` };
}

/** `value`: its JSON. */
export function refusedValue(value: string): KvRefusal | undefined {
  const bytes = utf8Length(value);
  if (bytes <= KV_VALUE_BYTES) return undefined;
  return { limit: "value", message: `A value can have at most ${KV_VALUE_BYTES} bytes of JSON; this one has ${bytes}` };
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** Values of one plugin and one user in the R2 bucket `BLOBS`. */
export interface PluginBlobs {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, value: ReadableStream | ArrayBuffer | ArrayBufferView | string): Promise<void>;
  delete(key: string): Promise<void>;
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}

/** Maximum length of one text, UTF-16 units, and of its id. */
export const TEXT_LENGTH = 16 * 1024;
export const TEXT_ID_LENGTH = 128;
/** Maximum number of a plugin's texts for one user. Their bytes count towards `KV_USER_BYTES`. */
export const TEXTS_PER_PLUGIN = 10_000;
/** Maximum number of texts in a search result or a page of the list. */
export const TEXTS_FOUND = 50;

/** The exceeded limit of a text or its id. An id must be well-formed: SQLite would replace half of a surrogate pair. */
export function refusedText(id: string, text: string): KvRefusal | undefined {
  if (id.length < 1 || id.length > TEXT_ID_LENGTH || !id.isWellFormed())
    return {
      limit: "key",
      message: `The id of a text must have 1 to ${TEXT_ID_LENGTH} characters; this one has ${id.length}`,
    };
  if (text.length <= TEXT_LENGTH) return undefined;
  return { limit: "value", message: `A text can have at most ${TEXT_LENGTH} characters; this one has ${text.length}` };
}

/** A text of a plugin and a user, with the plugin's id for it. */
export interface StoredText {
  readonly id: string;
  readonly text: string;
  /** The plugin's own data about the text; not searched. */
  readonly details: JsonObject;
  /** RFC 3339, in UTC. */
  readonly storedAt: string;
}

/**
 * Texts of one plugin and one user, in the user's own object, with a full-text index. A call above a limit throws a `KvLimitError`.
 * If the object is unreachable, the call throws an error with that message.
 */
export interface PluginTexts {
  /** Adds the text, or replaces the text with this id. */
  put(id: string, text: string, details?: JsonObject): Promise<void>;
  get(id: string): Promise<StoredText | undefined>;
  /**
   * Texts that match words of the query, best first: ignores case and accents, and matches prefixes of words. There are no
   * operators: every character is literal.
   */
  search(query: string, limit?: number): Promise<readonly StoredText[]>;
  /** Newest first, at most 50; `cursor` continues after the page that returned it. */
  list(cursor?: string): Promise<{ readonly texts: readonly StoredText[]; readonly cursor?: string }>;
  /** Returns whether the text existed. */
  delete(id: string): Promise<boolean>;
  /** Deletes all texts; returns their number. */
  clear(): Promise<number>;
}

/** The calls of the user's object that `ctx.kv` makes. */
export interface PluginValueCalls {
  getPluginValue(plugin: string, key: string): Promise<string | null>;
  setPluginValue(plugin: string, key: string, json: string): Promise<Result<null, KvRefusal>>;
  addPluginValue(plugin: string, key: string, json: string, expiry?: KvExpiry): Promise<Result<boolean, KvRefusal>>;
  deletePluginValue(plugin: string, key: string): Promise<boolean>;
  listPluginKeys(plugin: string, prefix: string, after?: string): Promise<PluginKeyPage>;
}

/**
 * Values are passed as JSON text and refusals as plain data, since a class loses its identity between objects; an oversized value
 * is not sent. `store` returns the user's object for one call: a stub stays broken after its object is lost.
 */
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

/** The JSON of a value that is within its limits. */
function allowed(key: string, value: JsonValue): string {
  allow(refusedKey(key));
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw new TypeError("A value must be JSON, not undefined: delete the key instead");
  allow(refusedValue(json));
  return json;
}

function allow(refusal: KvRefusal | undefined): void {
  if (refusal !== undefined) throw new KvLimitError(refusal.limit, refusal.message);
}

/** The error for a call that failed in transit, as a text that a model can read too. */
async function reached<Value>(call: Promise<Value>, kind: "read" | "write"): Promise<Value> {
  try {
    return await call;
  } catch (cause) {
    const outcome = kind === "read" ? "Nothing was read." : "Whether the change was stored is unknown.";
    throw new Error(`The user's storage could not be reached. ${outcome}`, { cause });
  }
}

/** Four hexadecimal digits per unit: URL-safe for any key. */
function cursorOf(key: string): string {
  return Array.from({ length: key.length }, (_, index) => key.charCodeAt(index).toString(16).padStart(4, "0")).join("");
}

function keyOfCursor(cursor: string): string {
  if (!/^(?:[0-9a-f]{4})+$/.test(cursor)) throw new KvLimitError("key", "The cursor must come from list()");
  const units = cursor.match(/.{4}/g) ?? [];
  const key = String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  allow(refusedKey(key));
  return key;
}

/** How much of a query is sent, UTF-16 units: far more than a question needs. */
const QUERY_LENGTH = 16 * 1024;

/** The calls of the user's object that `ctx.texts` makes. */
export interface PluginTextCalls {
  putPluginText(plugin: string, id: string, text: string, details: string): Promise<Result<null, KvRefusal>>;
  getPluginText(plugin: string, id: string): Promise<PluginText | null>;
  searchPluginTexts(plugin: string, query: string, limit: number): Promise<readonly PluginText[]>;
  listPluginTexts(plugin: string, after?: number): Promise<PluginTextPage>;
  deletePluginText(plugin: string, id: string): Promise<boolean>;
  clearPluginTexts(plugin: string): Promise<number>;
}

/** Like `createPluginKv`; details are passed as JSON text. */
export function createPluginTexts(store: () => PluginTextCalls, plugin: string): PluginTexts {
  return {
    async put(id, text, details = {}) {
      allow(refusedText(id, text));
      const stored = await reached(
        store().putPluginText(plugin, id, text.toWellFormed(), JSON.stringify(details)),
        "write",
      );
      if (!stored.ok) allow(stored.error);
    },
    async get(id) {
      allow(refusedText(id, ""));
      const found = await reached(store().getPluginText(plugin, id), "read");
      return found === null ? undefined : textOf(found);
    },
    async search(query, limit = TEXTS_FOUND) {
      const found = await reached(store().searchPluginTexts(plugin, query.slice(0, QUERY_LENGTH), limit), "read");
      return found.map(textOf);
    },
    async list(cursor) {
      const page = await reached(
        store().listPluginTexts(plugin, cursor === undefined ? undefined : placeOf(cursor)),
        "read",
      );
      const texts = page.texts.map(textOf);
      return page.after === undefined ? { texts } : { texts, cursor: String(page.after) };
    },
    async delete(id) {
      allow(refusedText(id, ""));
      return reached(store().deletePluginText(plugin, id), "write");
    },
    clear: async () => reached(store().clearPluginTexts(plugin), "write"),
  };
}

function placeOf(cursor: string): number {
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw new KvLimitError("key", "The cursor must come from list()");
  return Number(cursor);
}

function textOf({ id, text, details, storedAt }: PluginText): StoredText {
  return { id, text, details: JSON.parse(details) as JsonObject, storedAt: new Date(storedAt).toISOString() };
}

/** The bucket for large values, if the deployment has one. */
export function blobBucket(env: object): R2Bucket | undefined {
  return Reflect.get(env, "BLOBS") as R2Bucket | undefined;
}
