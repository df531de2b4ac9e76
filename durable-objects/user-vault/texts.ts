/**
 * Texts that plugins store for the user, with a full-text index (FTS5). One write is one transaction: text, index and
 * totals. A query consists of words, never of an expression: each word is quoted, so that no character has a special
 * meaning.
 */
import {
  KV_VALUE_BYTES,
  refusedText,
  TEXTS_FOUND,
  TEXTS_PER_PLUGIN,
  utf8Length,
  type KvRefusal,
} from "../../oracle/framework/storage.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import { createPluginTotals } from "./plugin-values.ts";
import type { PluginText, PluginTextPage } from "../../oracle/user-vault-rpc.ts";
import type { UserVaultSchema } from "./schema.ts";

/** Maximum different words of a query. FTS5 accepts 256 in one expression. */
export const SEARCHED_WORDS = 64;

export interface PluginTextStore {
  /** Stores nothing if a limit would be exceeded. A text that replaces another counts as new. */
  put(plugin: string, text: Omit<PluginText, "storedAt">, now: number): Result<null, KvRefusal>;
  get(plugin: string, id: string): PluginText | null;
  search(plugin: string, query: string, limit: number): readonly PluginText[];
  list(plugin: string, after: number | undefined): PluginTextPage;
  delete(plugin: string, id: string): boolean;
  clear(plugin: string): number;
}

interface Row extends Record<string, SqlStorageValue> {
  readonly position: number;
  readonly id: string;
  readonly text: string;
  readonly details: string;
  readonly stored_at: number;
}

const COLUMNS = "t.position, t.id, t.text, t.details, t.stored_at";

export function createPluginTexts(storage: ObjectStorage, { prepare, written }: UserVaultSchema): PluginTextStore {
  const { sql } = storage;
  const totals = createPluginTotals(storage);

  /** Returns the bytes that this frees; undefined if there was no such text. */
  function remove(plugin: string, id: string): number | undefined {
    const [row] = sql
      .exec<{ position: number; bytes: number }>(
        "SELECT position, bytes FROM plugin_texts WHERE plugin = ? AND id = ?",
        plugin,
        id,
      )
      .toArray();
    if (row === undefined) return undefined;
    sql.exec("DELETE FROM plugin_text_words WHERE rowid = ?", row.position);
    sql.exec("DELETE FROM plugin_texts WHERE position = ?", row.position);
    return row.bytes;
  }

  /** Checked before anything changes, so that a refusal leaves the stored text. */
  function refusedTotals(plugin: string, id: string, bytes: number): KvRefusal | undefined {
    const [before] = sql
      .exec<{ bytes: number }>("SELECT bytes FROM plugin_texts WHERE plugin = ? AND id = ?", plugin, id)
      .toArray();
    if (before === undefined && totals.of(plugin).texts >= TEXTS_PER_PLUGIN)
      return { limit: "keys", message: `A plugin can store at most ${TEXTS_PER_PLUGIN} texts for a user` };
    return totals.refusal(bytes - (before?.bytes ?? 0));
  }

  return {
    put(plugin, { id, text, details }, now) {
      const refused = refusedText(id, text) ?? refusedDetails(details);
      if (refused !== undefined) return failure(refused);
      prepare();
      return storage.transactionSync(() => {
        const bytes = utf8Length(id) + utf8Length(text) + utf8Length(details);
        const above = refusedTotals(plugin, id, bytes);
        if (above !== undefined) return failure(above);
        const freed = remove(plugin, id);
        const { position } = sql
          .exec<{ position: number }>(
            `INSERT INTO plugin_texts (plugin, id, text, details, stored_at, bytes) VALUES (?, ?, ?, ?, ?, ?)
             RETURNING position`,
            plugin,
            id,
            text,
            details,
            now,
            bytes,
          )
          .one();
        sql.exec("INSERT INTO plugin_text_words (rowid, text) VALUES (?, ?)", position, text);
        totals.add(plugin, { keys: 0, texts: freed === undefined ? 1 : 0, bytes: bytes - (freed ?? 0) });
        return success(null);
      });
    },
    get(plugin, id) {
      if (!written()) return null;
      const rows = sql.exec<Row>(`SELECT ${COLUMNS} FROM plugin_texts t WHERE t.plugin = ? AND t.id = ?`, plugin, id);
      const [row] = rows.toArray();
      return row === undefined ? null : textOf(row);
    },
    search(plugin, query, limit) {
      const expression = expressionOf(query);
      if (expression === undefined || !written()) return [];
      return sql
        .exec<Row>(
          // The index is read first: a plugin may store many texts, and few contain the words.
          `SELECT ${COLUMNS} FROM plugin_text_words w CROSS JOIN plugin_texts t ON t.position = w.rowid
           WHERE w.plugin_text_words MATCH ? AND t.plugin = ? ORDER BY bm25(plugin_text_words), t.position DESC LIMIT ?`,
          expression,
          plugin,
          Math.min(Math.max(1, Math.trunc(limit)), TEXTS_FOUND),
        )
        .toArray()
        .map(textOf);
    },
    list(plugin, after) {
      if (!written()) return { texts: [] };
      const rows = sql
        .exec<Row>(
          `SELECT ${COLUMNS} FROM plugin_texts t WHERE t.plugin = ? AND t.position < ? ORDER BY t.position DESC LIMIT ?`,
          plugin,
          after ?? Number.MAX_SAFE_INTEGER,
          TEXTS_FOUND + 1,
        )
        .toArray();
      const page = rows.slice(0, TEXTS_FOUND);
      const last = page.at(-1);
      const texts = page.map(textOf);
      return rows.length > TEXTS_FOUND && last !== undefined ? { texts, after: last.position } : { texts };
    },
    delete(plugin, id) {
      if (!written()) return false;
      return storage.transactionSync(() => {
        const freed = remove(plugin, id);
        if (freed !== undefined) totals.add(plugin, { keys: 0, texts: -1, bytes: -freed });
        return freed !== undefined;
      });
    },
    clear(plugin) {
      if (!written()) return 0;
      return storage.transactionSync(() => {
        const { count, bytes } = sql
          .exec<{ count: number; bytes: number }>(
            "SELECT COUNT(*) AS count, COALESCE(SUM(bytes), 0) AS bytes FROM plugin_texts WHERE plugin = ?",
            plugin,
          )
          .one();
        if (count === 0) return 0;
        sql.exec(
          "DELETE FROM plugin_text_words WHERE rowid IN (SELECT position FROM plugin_texts WHERE plugin = ?)",
          plugin,
        );
        sql.exec("DELETE FROM plugin_texts WHERE plugin = ?", plugin);
        totals.add(plugin, { keys: 0, texts: -count, bytes: -bytes });
        return count;
      });
    },
  };
}

/** Each word quoted, as a prefix; undefined without a word. */
function expressionOf(query: string): string | undefined {
  const words = new Set(query.match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu));
  if (words.size === 0) return undefined;
  return [...words]
    .slice(0, SEARCHED_WORDS)
    .map((word) => `"${word}" *`)
    .join(" OR ");
}

function refusedDetails(details: string): KvRefusal | undefined {
  const bytes = utf8Length(details);
  if (bytes <= KV_VALUE_BYTES) return undefined;
  return {
    limit: "value",
    message: `The details of a text can have at most ${KV_VALUE_BYTES} bytes of JSON; these have ${bytes}`,
  };
}

function textOf({ id, text, details, stored_at }: Row): PluginText {
  return { id, text, details, storedAt: stored_at };
}
