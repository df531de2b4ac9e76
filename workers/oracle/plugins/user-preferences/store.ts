/**
 * All SQL on `user_preferences` (migrations/0001): one JSON object per user and oracle in D1. A write is one statement
 * that merges inside the database, so two turns that write at the same moment never lose each other's field.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { parseJson } from "../../../platform/parse-json.ts";
import type { Logger } from "../../../platform/log.ts";
import { mergePatchOf, parseStored, PREFERENCE_FIELDS, type Preferences } from "./preferences.ts";

/** Whose preferences, and towards which oracle. */
export interface PreferencesKey {
  readonly userDid: string;
  readonly oracleDid: string;
}

export interface StoredPreferences {
  readonly preferences: Preferences;
  /** ISO 8601. */
  readonly updatedAt: string;
}

interface PreferencesRow {
  readonly preferences: string;
  readonly updated_at: string;
}

/** Nothing when the user never set any. Throws when the database cannot be reached. */
export async function loadPreferences(
  database: D1Database,
  { userDid, oracleDid }: PreferencesKey,
  log: Logger,
): Promise<StoredPreferences | undefined> {
  const row = await database
    .prepare("SELECT preferences, updated_at FROM user_preferences WHERE user_did = ?1 AND oracle_did = ?2")
    .bind(userDid, oracleDid)
    .first<PreferencesRow>();
  return row === null ? undefined : readRow(row, log);
}

/**
 * Merges the given fields, `""` taking one away, and answers with all that is then set. `now`: Unix milliseconds.
 * Throws when the database cannot be reached.
 */
export async function mergePreferences(
  database: D1Database,
  { userDid, oracleDid }: PreferencesKey,
  change: Preferences,
  now: number,
  log: Logger,
): Promise<StoredPreferences> {
  const row = await database
    .prepare(
      `INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at)
       VALUES (?1, ?2, json_patch('{}', ?3), ?4)
       ON CONFLICT (user_did, oracle_did) DO UPDATE
         SET preferences = json_patch(preferences, ?3), updated_at = max(updated_at, ?4)
       RETURNING preferences, updated_at`,
    )
    .bind(userDid, oracleDid, JSON.stringify(mergePatchOf(change)), new Date(now).toISOString())
    .first<PreferencesRow>();
  if (row === null) throw new Error("the merge returned no row");
  return readRow(row, log);
}

/** The object of `GET /user-preferences` and of the tool's answer: set fields in order, then `updatedAt`; or empty. */
export function describeStored(stored: StoredPreferences | undefined): JsonObject {
  const set = PREFERENCE_FIELDS.flatMap((field) => {
    const value = stored?.preferences[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  if (stored === undefined || set.length === 0) return {};
  return { ...Object.fromEntries(set), updatedAt: stored.updatedAt };
}

function readRow(row: PreferencesRow, log: Logger): StoredPreferences {
  const parsed = parseJson(row.preferences);
  const { preferences, ignored } = parseStored(parsed.ok ? parsed.value : undefined);
  if (ignored > 0) log.warn("preferences-ignored", { plugin: "user-preferences", fields: ignored });
  return { preferences, updatedAt: row.updated_at };
}
