/** What a plugin keeps for a user: small values in the user's object, large ones in R2. */
import type { JsonObject, JsonValue } from "../../platform/json.ts";

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
  /**
   * Stores the value unless the key has one, and returns whether it did: of two callers at once, one. Throws as `set`. With
   * `expiry` the user's object deletes it by itself, unless `set` replaces it before.
   */
  setIfAbsent(key: string, value: JsonValue, expiry?: KvExpiry): Promise<boolean>;
  /** Returns whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Keys in the order of their UTF-16 units, at most 1,000; `cursor` continues after the page that returned it. */
  list(prefix?: string, cursor?: string): Promise<{ readonly keys: readonly string[]; readonly cursor?: string }>;
}

/** When a value is deleted. */
export interface KvExpiry {
  /** Unix milliseconds. */
  readonly at: number;
  /** The key in `ctx.blobs` of what is deleted with it. */
  readonly blob?: string;
}

export class KvLimitError extends Error {
  override readonly name = "KvLimitError";
  /** Which limit: the size of a key or value, the keys of the plugin, or all that the user vaults. */
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

/** How long one text may be, UTF-16 units, and its id. */
export const TEXT_LENGTH = 16 * 1024;
export const TEXT_ID_LENGTH = 128;
/** How many texts a plugin may hold for one user. Their bytes count into `KV_USER_BYTES`. */
export const TEXTS_PER_PLUGIN = 10_000;
/** How many texts a search returns at most, and a page of the list holds. */
export const TEXTS_FOUND = 50;

/** Which limit a text or its id passed. An id is well-formed: SQLite would take one half of a pair for another. */
export function refusedText(id: string, text: string): KvRefusal | undefined {
  if (id.length < 1 || id.length > TEXT_ID_LENGTH || !id.isWellFormed())
    return {
      limit: "key",
      message: `The id of a text has 1 to ${TEXT_ID_LENGTH} characters, this one has ${id.length}`,
    };
  if (text.length <= TEXT_LENGTH) return undefined;
  return { limit: "value", message: `A text has at most ${TEXT_LENGTH} characters, this one has ${text.length}` };
}

/** A text of a plugin and a user, by the id that the plugin gave it. */
export interface StoredText {
  readonly id: string;
  readonly text: string;
  /** What the plugin keeps beside it; not searched. */
  readonly details: JsonObject;
  /** RFC 3339, in UTC. */
  readonly storedAt: string;
}

/**
 * Texts of one plugin and one user, in the user's own object, with a full-text index. Above a limit a call throws a
 * `KvLimitError`; one that cannot reach the object throws an error that says so.
 */
export interface PluginTexts {
  /** Adds the text, or replaces that of the same id. */
  put(id: string, text: string, details?: JsonObject): Promise<void>;
  get(id: string): Promise<StoredText | undefined>;
  /**
   * Texts that hold words of the query, the best first: any case, without accents, and beginnings of words. No operators: each
   * sign is what it is.
   */
  search(query: string, limit?: number): Promise<readonly StoredText[]>;
  /** Newest first, at most 50; `cursor` continues after the page that returned it. */
  list(cursor?: string): Promise<{ readonly texts: readonly StoredText[]; readonly cursor?: string }>;
  /** Returns whether there was one. */
  delete(id: string): Promise<boolean>;
  /** Deletes all; returns how many there were. */
  clear(): Promise<number>;
}

/** Encryption under a key that is derived from the oracle's own, one per plugin. */
export interface Sealing {
  /** `purpose` binds the text: what was sealed for another purpose does not open. Fit for a URL. */
  seal(text: string, purpose: string): Promise<string>;
  /** Undefined for what was not sealed here for this purpose, or under an earlier key of the oracle. */
  open(sealed: string, purpose: string): Promise<string | undefined>;
}
