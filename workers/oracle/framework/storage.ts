/** What a plugin keeps for a user: small values in the user's object, large ones in R2. */
import type { JsonValue } from "../../platform/json.ts";

/** How large one value may be, bytes of its JSON. */
export const KV_VALUE_BYTES = 256 * 1024;
/** How long a key may be, UTF-16 units. */
export const KV_KEY_LENGTH = 512;
/** How many keys a plugin may hold for one user. */
export const KV_KEYS_PER_PLUGIN = 10_000;
/** How much all plugins together may hold for one user, bytes of keys and values. */
export const KV_USER_BYTES = 32 * 1024 * 1024;
/** How many keys one page of a list holds. */
export const KV_PAGE_SIZE = 1_000;

/** Values of one plugin and one user. Every call reads or writes the user's object: strongly consistent, one hop. */
export interface PluginKv {
  get(key: string): Promise<JsonValue | undefined>;
  /** Throws a `KvLimitError` when the value, the number of keys or the user's total is above its limit. */
  set(key: string, value: JsonValue): Promise<void>;
  /** Returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Keys in order, at most 1,000; `cursor` continues after the page that returned it. */
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

/** The same over the R2 bucket `BLOBS`. */
export interface PluginBlobs {
  get(key: string): Promise<R2ObjectBody | null>;
  put(key: string, value: ReadableStream | ArrayBuffer | ArrayBufferView | string): Promise<void>;
  delete(key: string): Promise<void>;
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}
