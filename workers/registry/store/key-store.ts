/** All SQL about API keys. It stores only the digest of a secret, never the secret. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { Caller, KeyEnvironment, Role, Scope } from "../caller.ts";
import { commit, requireThat, type Committed } from "./batch.ts";
import { type Bindings, bound, createBindings, keysetPage } from "./sql.ts";
import { readFullPage, readScopes } from "./stored-columns.ts";

/** Times are Unix milliseconds. */
export interface KeyRecord {
  readonly id: string;
  readonly label: string;
  readonly environment: KeyEnvironment;
  readonly start: string;
  readonly did: string;
  readonly role: Role | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
  readonly replacedBy: string | null;
}

/** The properties of a key that decide about a request. */
export interface Credential {
  readonly caller: Caller;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

interface KeyRow {
  readonly id: string;
  readonly label: string;
  readonly environment: KeyEnvironment;
  readonly start: string;
  readonly did: string;
  readonly role: Role | null;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
  readonly replaced_by: string | null;
}

const COLUMNS =
  "id, label, environment, start, did, role, scopes, created_at, expires_at, last_used_at, revoked_at, replaced_by";

export async function readCredential(database: Database, hash: string): Promise<Credential | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ?1`).bind(hash).first<KeyRow>();
  if (row === null) return undefined;
  const { id, did, role, scopes, expiresAt, lastUsedAt, revokedAt } = recordOf(row);
  return { caller: { keyId: id, did, role, scopes }, expiresAt, lastUsedAt, revokedAt };
}

/** Records a use unless a use after `notAfter` is already recorded. */
export async function touchKey(database: Database, id: string, now: number, notAfter: number): Promise<void> {
  await database
    .prepare("UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3)")
    .bind(id, now, notAfter)
    .run();
}

export async function readKey(database: Database, id: string): Promise<KeyRecord | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?1`).bind(id).first<KeyRow>();
  return row === null ? undefined : recordOf(row);
}

export async function insertKey(database: Database, key: KeyRecord, hash: string): Promise<void> {
  await insertion(database, key, hash).run();
}

/**
 * Writes both keys or neither; `conflict` if the old key was revoked or replaced meanwhile. `expiresAt`: the old key's
 * end.
 */
export function replaceKey(
  database: Database,
  old: { readonly id: string; readonly expiresAt: number },
  key: KeyRecord,
  hash: string,
): Promise<Committed> {
  const unreplaced = "EXISTS (SELECT 1 FROM api_keys WHERE id = ?1 AND revoked_at IS NULL AND replaced_by IS NULL)";
  return commit(database, [
    requireThat(database, unreplaced, old.id),
    insertion(database, key, hash),
    database
      .prepare("UPDATE api_keys SET replaced_by = ?2, expires_at = ?3 WHERE id = ?1")
      .bind(old.id, key.id, old.expiresAt),
  ]);
}

/** False if there is no such key; a second revocation keeps the time of the first. */
export async function revokeKey(database: Database, id: string, now: number): Promise<boolean> {
  const { meta } = await database
    .prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1")
    .bind(id, now)
    .run();
  return meta.changes > 0;
}

/** The keys that count when checking whether a DID has a key. */
export interface Speakers {
  readonly environment: KeyEnvironment;
  /** DIDs of the configuration's own keys that can vote. */
  readonly configured: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** SQL: 1 if a key that can vote represents the DID in `did`, which is SQL. */
export function speaksFor(did: string, { environment, configured, now }: Speakers, { bind }: Bindings): string {
  return `(${did} IN (SELECT value FROM json_each(${bind(JSON.stringify(configured))})) OR EXISTS (
    SELECT 1 FROM api_keys WHERE api_keys.did = ${did} AND revoked_at IS NULL
      AND instr(scopes, '"verification:vote"') > 0 AND environment = ${bind(environment)}
      AND (expires_at IS NULL OR expires_at > ${bind(now)})))`;
}

export async function hasKeyFor(database: Database, speakers: Speakers, did: string): Promise<boolean> {
  const bindings = createBindings();
  const text = `SELECT ${speaksFor(bindings.bind(did), speakers, bindings)} AS speaks`;
  return (await bound(database, text, bindings).first<{ speaks: number }>())?.speaks === 1;
}

export const keyStates = ["active", "expired", "revoked"] as const;
export type KeyState = (typeof keyStates)[number];

export interface KeyFilter {
  readonly did: string | null;
  /** Empty for all states. */
  readonly states: readonly KeyState[];
}

export interface KeyPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** Newest first, after `position`; at most `limit`. */
export async function listKeys(
  database: Database,
  { did, states }: KeyFilter,
  { position, limit, now }: { readonly position: KeyPosition | null; readonly limit: number; readonly now: number },
): Promise<readonly KeyRecord[]> {
  const pageBehind = (last: KeyRow | undefined, wanted: number) => {
    const after = last === undefined ? position : { createdAt: last.created_at, id: last.id };
    return keysetPage(database, {
      columns: COLUMNS,
      source: `api_keys INDEXED BY ${did === null ? "api_keys_by_creation" : "api_keys_by_did"}`,
      where: ({ bind }) => [
        ...(did === null ? [] : [`did = ${bind(did)}`]),
        ...(states.length === 0
          ? []
          : [
              `CASE WHEN revoked_at IS NOT NULL THEN 'revoked' WHEN expires_at <= ${bind(now)} THEN 'expired'
                 ELSE 'active' END IN (SELECT value FROM json_each(${bind(JSON.stringify(states))}))`,
            ]),
      ],
      order: ["created_at", "id"],
      descending: true,
      after: after === null ? undefined : [after.createdAt, after.id],
      limit: wanted,
    });
  };
  return readFullPage("api_keys", limit, pageBehind, recordOf);
}

function insertion(database: Database, key: KeyRecord, hash: string): Statement {
  const { id, label, environment, start, did, role, scopes, createdAt, expiresAt } = key;
  return database
    .prepare(
      `INSERT INTO api_keys (id, hash, label, environment, start, did, role, scopes, created_at, expires_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    )
    .bind(id, hash, label, environment, start, did, role, JSON.stringify(scopes), createdAt, expiresAt);
}

function recordOf({
  scopes,
  created_at,
  expires_at,
  last_used_at,
  revoked_at,
  replaced_by,
  ...same
}: KeyRow): KeyRecord {
  return {
    ...same,
    scopes: readScopes(scopes),
    createdAt: created_at,
    expiresAt: expires_at,
    lastUsedAt: last_used_at,
    revokedAt: revoked_at,
    replacedBy: replaced_by,
  };
}
