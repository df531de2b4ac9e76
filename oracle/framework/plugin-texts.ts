/** `ctx.texts`: a plugin's texts in the user's object. Details cross as JSON text, refusals as plain data. */
import type { PluginText, PluginTextPage } from "../user-vault-rpc.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Result } from "../../platform/result.ts";
import { allow, reached } from "./plugin-kv.ts";
import {
  refusedText,
  TEXTS_FOUND,
  KvLimitError,
  type KvRefusal,
  type PluginTexts,
  type StoredText,
} from "./storage.ts";

/** How much of a query is sent, UTF-16 units: many times what a question has. */
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

/** `store` gives the user's object for one call: a stub whose object was lost stays broken. */
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
  if (!/^[1-9]\d{0,14}$/.test(cursor)) throw new KvLimitError("key", "A cursor is one that list() gave");
  return Number(cursor);
}

function textOf({ id, text, details, storedAt }: PluginText): StoredText {
  return { id, text, details: JSON.parse(details) as JsonObject, storedAt: new Date(storedAt).toISOString() };
}
