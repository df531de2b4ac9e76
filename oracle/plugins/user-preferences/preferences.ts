/**
 * Preferences of a user: the fields with their limits, the change that the tool may request, the section of the system prompt, and
 * all SQL on `user_preferences` (migrations/0001), one JSON object per user and oracle. A write is one statement that merges inside
 * the database, so concurrent runs never lose each other's fields.
 */
import type { Database } from "../../../platform/database/database.ts";
import * as z from "zod";
import { type JsonObject, isJsonObject, parseJson, quoted } from "../../../platform/json.ts";
import { type Result, failure, success } from "../../../platform/result.ts";
import type { StoredUser, StoredUserPage } from "../../framework/erasure.ts";
import type { Logger } from "../../../platform/log.ts";

/** Maximum length, UTF-16 units. Names and notes are repeated in every prompt, so they are limited. */
export const NAME_LIMIT = 80;
export const LANGUAGE_LIMIT = 20;
export const STYLE_LIMIT = 120;
export const INSTRUCTIONS_LIMIT = 2000;

const FORMALITIES = [
  "casual",
  "friendly",
  "neutral",
  "semi-formal",
  "professional",
  "formal",
  "technical",
  "academic",
] as const;

/** In the order in which the model and clients read them. `""` removes a field. */
const changeSchema = z.strictObject({
  agentName: text(NAME_LIMIT, "The name that the user gives the agent."),
  userName: text(NAME_LIMIT, "How the user asked to be addressed. A name merely stated is not a preference."),
  language: text(LANGUAGE_LIMIT, "The language to answer in: a code or a name, with its dialect where it matters."),
  tone: text(STYLE_LIMIT, "The tone of the answers."),
  length: text(STYLE_LIMIT, "How long answers should be."),
  format: text(STYLE_LIMIT, "How answers should be laid out."),
  formality: z
    .enum([...FORMALITIES, ""], { error: `formality must be one of ${FORMALITIES.join(", ")}` })
    .describe("How formal the answers should be."),
  customInstructions: text(
    INSTRUCTIONS_LIMIT,
    "Every other lasting preference, as notes for yourself. It replaces the previous text, so repeat everything that still applies.",
  ),
});

const partialChange = changeSchema.partial();

export type PreferenceField = keyof typeof changeSchema.shape;
export type Preferences = { readonly [Field in PreferenceField]?: string };

export const PREFERENCE_FIELDS = Object.keys(changeSchema.shape) as readonly PreferenceField[];

/** JSON Schema of the tool's arguments. */
export const changeJsonSchema: JsonObject = jsonSchemaOf(partialChange);

/** The fields of a call, or a sentence that tells the model what to correct. */
export function parseChange(input: unknown): Result<Preferences, string> {
  const parsed = partialChange.safeParse(input, { error: describeIssue });
  if (!parsed.success) return failure(parsed.error.issues.map(({ message }) => message).join("; "));
  if (Object.values(parsed.data).every((value) => value === undefined))
    return failure("at least one field must be given");
  return success(parsed.data);
}

/** The change as a JSON Merge Patch (RFC 7396), where null removes a field. */
export function mergePatchOf(change: Preferences): JsonObject {
  return Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value === "" ? null : value]));
}

/** The stored preferences that this version understands: unknown or oversized values count as not set. */
export function parseStored(stored: unknown): { readonly preferences: Preferences; readonly ignored: number } {
  if (!isJsonObject(stored)) return { preferences: {}, ignored: 1 };
  const set = PREFERENCE_FIELDS.flatMap((field) => {
    const parsed = changeSchema.shape[field].safeParse(stored[field]);
    return parsed.success && parsed.data !== "" ? [[field, parsed.data] as const] : [];
  });
  return { preferences: Object.fromEntries(set), ignored: Object.keys(stored).length - set.length };
}

/**
 * One bullet per set field, its value as a JSON string on one line: user text can neither end the line nor start a heading. Empty
 * when nothing is set.
 */
export function promptSection(preferences: Preferences): string {
  const bullets = PREFERENCE_FIELDS.flatMap((field) => {
    const value = preferences[field];
    return value === undefined ? [] : [`- ${field}: ${quoted(value)}`];
  });
  return bullets.length === 0 ? "" : ["## User preferences", ...bullets].join("\n");
}

/** The agent's name for the opening line, where it is unquoted: always one line. */
export function agentNameOf({ agentName }: Preferences): string | undefined {
  const name = agentName?.replace(/[\p{Cc}\p{Z}]+/gu, " ").trim();
  return name === "" ? undefined : name;
}

function text(limit: number, description: string) {
  return z.string().trim().max(limit).describe(description);
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "unrecognized_keys") return `unknown field ${issue.keys.join(", ").slice(0, NAME_LIMIT)}`;
  const field = issue.path?.[0];
  if (field === undefined) return "the argument must be an object";
  if (issue.code === "too_big") return `${String(field)} must be at most ${issue.maximum} characters`;
  return `${String(field)} must be a string`;
}

/** Without the dialect's marker, which means nothing to a model. */
function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io: "input" });
  return described as JsonObject;
}

/** The user of the preferences, and the oracle. */
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

/** Equal to migrations/0001: an author's database has no migrations. */
export const USER_PREFERENCES_TABLE = `CREATE TABLE IF NOT EXISTS user_preferences (
  user_did   TEXT NOT NULL,
  oracle_did TEXT NOT NULL,
  preferences TEXT NOT NULL CHECK (json_valid(preferences)),
  updated_at TEXT NOT NULL,
  PRIMARY KEY (user_did, oracle_did)
) WITHOUT ROWID`;

/** Retries the work after creating the table. */
async function withTable<Value>(database: Database, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.includes("no such table: user_preferences")) throw thrown;
    await database.prepare(USER_PREFERENCES_TABLE).run();
    return work();
  }
}

/** Undefined when the user never set any. Throws when the database cannot be reached. */
export async function loadPreferences(
  database: Database,
  { userDid, oracleDid }: PreferencesKey,
  log: Logger,
): Promise<StoredPreferences | undefined> {
  const row = await withTable(database, () =>
    database
      .prepare("SELECT preferences, updated_at FROM user_preferences WHERE user_did = ?1 AND oracle_did = ?2")
      .bind(userDid, oracleDid)
      .first<PreferencesRow>(),
  );
  return row === null ? undefined : readRow(row, log);
}

/**
 * Merges the given fields, where `""` removes one, and returns all fields that are then set. `now`: Unix milliseconds. Throws when
 * the database cannot be reached.
 */
export async function mergePreferences(
  database: Database,
  { userDid, oracleDid }: PreferencesKey,
  change: Preferences,
  now: number,
  log: Logger,
): Promise<StoredPreferences> {
  const row = await withTable(database, () =>
    database
      .prepare(
        `INSERT INTO user_preferences (user_did, oracle_did, preferences, updated_at)
         VALUES (?1, ?2, json_patch('{}', ?3), ?4)
         ON CONFLICT (user_did, oracle_did) DO UPDATE
           SET preferences = json_patch(user_preferences.preferences, ?3),
             updated_at = max(user_preferences.updated_at, ?4)
         RETURNING preferences, updated_at`,
      )
      .bind(userDid, oracleDid, JSON.stringify(mergePatchOf(change)), new Date(now).toISOString())
      .first<PreferencesRow>(),
  );
  if (row === null) throw new Error("the merge returned no row");
  return readRow(row, log);
}

export async function erasePreferences(database: Database, { userDid, oracleDid }: PreferencesKey): Promise<void> {
  await withTable(database, () =>
    database
      .prepare("DELETE FROM user_preferences WHERE user_did = ?1 AND oracle_did = ?2")
      .bind(userDid, oracleDid)
      .run(),
  );
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

/** Users of one page. */
const LISTED_USERS = 200;

/** In the order of their DIDs. */
export async function usersWithPreferences(database: Database, after: string): Promise<StoredUserPage> {
  const { results: users } = await withTable(database, () =>
    database
      .prepare(
        `SELECT user_did AS did, min(updated_at) AS since FROM user_preferences WHERE user_did > ?1
       GROUP BY user_did ORDER BY user_did LIMIT ?2`,
      )
      .bind(after, LISTED_USERS)
      .all<StoredUser>(),
  );
  const last = users.at(-1);
  return { users, ...(last === undefined || users.length < LISTED_USERS ? {} : { next: last.did }) };
}
