/** What a plugin keeps for a user: small values in the user's object, large ones in R2. */
import type { JsonValue } from "../../platform/json.ts";

/** How large one value may be, bytes of its JSON. */
export const KV_VALUE_BYTES = 256 * 1024;
/** How long a key may be, UTF-16 units; it has at least one. */
export const KV_KEY_LENGTH = 512;
/** How many keys a plugin may hold for one user. */
export const KV_KEYS_PER_PLUGIN = 10_000;
/** How much all plugins together may hold for one user, bytes of keys and values. */
export const KV_USER_BYTES = 32 * 1024 * 1024;
/** How many keys one page of a list holds. */
export const KV_PAGE_SIZE = 1_000;

/**
 * Values of one plugin and one user. Every call reads or writes the user's object: strongly consistent, one hop. A key that
 * is empty or too long throws a `KvLimitError`; a user's object that cannot be reached throws an error that says so.
 */
export interface PluginKv {
  get(key: string): Promise<JsonValue | undefined>;
  /** Throws a `KvLimitError` when the value, the number of keys or the user's total is above its limit; stores nothing then. */
  set(key: string, value: JsonValue): Promise<void>;
  /** Returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Keys in the order of their UTF-16 units, at most 1,000; `cursor` continues after the page that returned it. */
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}

export class KvLimitError extends Error {
  override readonly name = "KvLimitError";
  /** Which limit: the size of a key or value, the keys of the plugin, or all that the user stores. */
  readonly limit: "key" | "value" | "keys" | "user";

  constructor(limit: KvLimitError["limit"], message: string) {
    super(message);
    this.limit = limit;
  }
}

/** Which limit a key or value passed, as it crosses to the caller: no class does. */
export type KvRefusal = Pick<KvLimitError, "limit" | "message">;

export function refusedKey(key: string): KvRefusal | undefined {
  if (key.length > 0 && key.length <= KV_KEY_LENGTH) return undefined;
  return { limit: "key", message: `A key has 1 to ${KV_KEY_LENGTH} characters, this one has ${key.length}` };
}

/** `value`: its JSON. */
export function refusedValue(value: string): KvRefusal | undefined {
  const bytes = utf8Length(value);
  if (bytes <= KV_VALUE_BYTES) return undefined;
  return { limit: "value", message: `A value has at most ${KV_VALUE_BYTES} bytes of JSON, this one has ${bytes}` };
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

/** The same over the R2 bucket `BLOBS`. */
export interface PluginBlobs {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, value: ReadableStream | ArrayBuffer | ArrayBufferView | string): Promise<void>;
  delete(key: string): Promise<void>;
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}
