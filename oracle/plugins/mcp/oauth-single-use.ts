/**
 * Records that can be used once within ten minutes: the link in a chat, and a sign-in in progress. They are in the user's own
 * storage, so that every isolate refuses a used or expired record.
 */
import type * as z from "zod";
import type { PluginKv } from "../../framework/storage.ts";
import type { Sealing } from "../../framework/sealed-texts.ts";
import { readStoredJson } from "../../../platform/json.ts";

/** How long a link, or a journey to the authorization server and back, is valid, milliseconds. */
export const SIGN_IN_MS = 10 * 60 * 1000;
/** How many unused records of a kind a user may have: the oldest are deleted. */
const UNUSED_RECORDS = 20;
/** Digits of a time in a key, so that keys sort by time until the year 33658. */
const TIME_DIGITS = 15;

export interface SingleUse<Value> {
  /** Returns the id of the new record. */
  add(value: Value): Promise<string>;
  /** Finds the record without using it. */
  find(id: string): Promise<Value | undefined>;
  /** Returns the record to one caller; later and concurrent callers get undefined. */
  take(id: string): Promise<Value | undefined>;
  /** The id of a record that is valid for at least this long. */
  newest(forMs: number, isWanted: (value: Value) => boolean): Promise<string | undefined>;
}

export interface SingleUseOptions<Schema extends z.ZodType> {
  readonly kv: PluginKv;
  readonly sealing: Sealing;
  /** Part of the key; the sealed text is bound to it and to the user. */
  readonly kind: string;
  readonly did: string;
  readonly schema: Schema;
  readonly now: () => number;
  readonly newId: () => string;
}

export function singleUse<Schema extends z.ZodType>(options: SingleUseOptions<Schema>): SingleUse<z.output<Schema>> {
  const { kv, sealing, kind, did, schema, now, newId } = options;
  const prefix = `oauth/${kind}/`;
  const purpose = `mcp ${kind} of ${did}`;

  async function find(id: string): Promise<z.output<Schema> | undefined> {
    if (!isId(id) || expiryOf(id) <= now()) return undefined;
    const stored = await kv.get(prefix + id);
    if (typeof stored !== "string") return undefined;
    const text = await sealing.open(stored, `${purpose} ${id}`);
    return text === undefined ? undefined : readStoredJson(schema, text);
  }

  async function ids(): Promise<readonly string[]> {
    return (await kv.list(prefix)).keys.map((key) => key.slice(prefix.length));
  }

  return {
    async add(value) {
      const kept = await ids();
      const isOld = (id: string, index: number): boolean =>
        expiryOf(id) <= now() || index <= kept.length - UNUSED_RECORDS;
      for (const id of kept.filter(isOld)) await kv.delete(prefix + id);
      const id = `${String(now() + SIGN_IN_MS).padStart(TIME_DIGITS, "0")}-${newId()}`;
      await kv.set(prefix + id, await sealing.seal(JSON.stringify(value), `${purpose} ${id}`));
      return id;
    },
    find,
    async take(id) {
      const value = await find(id);
      if (value === undefined) return undefined;
      return (await kv.delete(prefix + id)) ? value : undefined;
    },
    async newest(forMs, isWanted) {
      for (const id of (await ids()).toReversed()) {
        if (expiryOf(id) < now() + forMs) return undefined;
        const value = await find(id);
        if (value !== undefined && isWanted(value)) return id;
      }
      return undefined;
    },
  };
}

function isId(id: string): boolean {
  return /^\d{15}-[\w-]{1,64}$/.test(id);
}

function expiryOf(id: string): number {
  return Number(id.slice(0, TIME_DIGITS));
}
