/**
 * All SQL on the permanent data of a user vault: the index of sessions, the one delegation, the last prompt to
 * re-authorise, and the connected sockets. Times are arguments. Reading a store that was never written to returns
 * nothing and creates nothing: any valid DID may ask, and asking must not leave objects behind.
 */
import type { Delegation } from "../../oracle/framework/delegation.ts";
import type { SessionRecord } from "../../protocol/records.ts";
import * as z from "zod";
import { parseStoredJson } from "../../platform/json.ts";
import type { ObjectStorage } from "../../platform/object-schema.ts";
import type {
  ConnectedSocket,
  RevocableDelegation,
  SessionPage,
  SocketPlace,
  StoredDelegation,
} from "../../oracle/user-vault-rpc.ts";
import type { UserVaultSchema } from "./schema.ts";

/** Connected sockets of one user over all their sessions; one more disconnects the oldest. */
export const SOCKETS_PER_USER = 32;

/** Seconds for which a revoked delegation without an expiry is kept: 10 years. */
export const ENDLESS_REVOCATION = 10 * 365 * 86_400;
/** Revoked delegations kept per user, about 100 bytes each; beyond that, the one that expires first is dropped. */
export const REVOKED_DELEGATIONS = 1_000;

export interface UserVaultStore {
  listSessions(page: { limit: number; offset: number }): SessionPage;
  /** Least recently used first. */
  oldestSessions(limit: number): readonly { readonly sessionId: string; readonly lastUpdatedAt: string }[];
  /** Returns false, and stores nothing, if the session is new and `limit` sessions are listed; 0 means no limit. */
  putSession(record: SessionRecord, limit: number): boolean;
  touchSession(sessionId: string, change: { title?: string; lastUpdatedAt?: string }): void;
  /** Also removes its sockets. */
  removeSession(sessionId: string): void;
  /**
   * Replaces the session's sockets. Removes the oldest sockets of all sessions beyond `limit` from the list and returns
   * them.
   */
  listSockets(sessionId: string, sockets: readonly ConnectedSocket[], limit: number): readonly SocketPlace[];
  storeDelegation(delegation: Delegation, nowSeconds: number): void;
  /** Null once the delegation has expired, which also erases it. */
  delegation(nowSeconds: number): StoredDelegation | null;
  /** Erases the delegation, if there is one, and stores the time in Unix milliseconds and the revoked delegations. */
  revokeDelegation(revoked: readonly RevocableDelegation[], nowMs: number): void;
  isRevoked(cid: string, nowSeconds: number): boolean;
  /** Unix milliseconds; null if nothing was ever revoked. */
  revokedAt(): number | null;
  /** Unix seconds; undefined if no prompt was ever throttled. */
  promptShownAt(): number | undefined;
  setPromptShownAt(nowSeconds: number): void;
  /** Erases everything but counts and revoked delegations, values and texts of plugins included. */
  erase(): void;
  /** Whether nothing of the user is stored: no session, delegation, socket, prompt or value of a plugin. */
  isEmpty(): boolean;
}

interface SessionRow extends Record<string, SqlStorageValue> {
  readonly session_id: string;
  readonly title: string;
  readonly created_at: string;
  readonly last_updated_at: string;
  readonly oracle_name: string;
  readonly oracle_did: string;
  readonly oracle_entity_did: string;
  readonly room_id: string | null;
}

interface DelegationRow extends Record<string, SqlStorageValue> {
  readonly token: string;
  readonly expiration: number | null;
  readonly capabilities: string;
  readonly stored_at: number;
}

interface SocketRow extends Record<string, SqlStorageValue> {
  readonly session_id: string;
  readonly socket_id: string;
}

const storedCapabilities = z.array(z.object({ can: z.string(), with: z.string() }));

/** The tables with the user's data. Not among them: `requests`, `turns`, `revocation` and `revoked_delegations`. */
const ERASED = [
  "sessions",
  "delegation",
  "reauthorisation_prompt",
  "sockets",
  "plugin_values",
  "plugin_text_words",
  "plugin_texts",
  "plugin_totals",
] as const;

export function createUserVault(storage: ObjectStorage, { prepare, written }: UserVaultSchema): UserVaultStore {
  const { sql } = storage;

  function eraseDelegation(): void {
    if (written()) sql.exec("DELETE FROM delegation");
  }

  function countSessions(): number {
    return sql.exec<{ total: number }>("SELECT COUNT(*) AS total FROM sessions").one().total;
  }

  return {
    listSessions({ limit, offset }) {
      if (!written()) return { sessions: [], total: 0 };
      const rows = sql.exec<SessionRow>(
        "SELECT * FROM sessions ORDER BY last_updated_at DESC, session_id LIMIT ? OFFSET ?",
        limit,
        offset,
      );
      const sessions = rows.toArray().map(recordOf);
      // A page that is not full ends the list; an empty page may be beyond its end.
      const last = sessions.length < limit && (sessions.length > 0 || offset === 0);
      return { sessions, total: last ? offset + sessions.length : countSessions() };
    },
    oldestSessions(limit) {
      if (!written()) return [];
      return sql
        .exec<{ sessionId: string; lastUpdatedAt: string }>(
          `SELECT session_id AS sessionId, last_updated_at AS lastUpdatedAt FROM sessions
           ORDER BY last_updated_at, session_id DESC LIMIT ?`,
          limit,
        )
        .toArray();
    },
    putSession(record, limit) {
      prepare();
      const known = sql.exec("SELECT 1 FROM sessions WHERE session_id = ?", record.sessionId).toArray().length > 0;
      if (!known && limit > 0 && countSessions() >= limit) return false;
      sql.exec(
        `INSERT OR REPLACE INTO sessions
           (session_id, title, created_at, last_updated_at, oracle_name, oracle_did, oracle_entity_did, room_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        record.sessionId,
        record.title,
        record.createdAt,
        record.lastUpdatedAt,
        record.oracleName,
        record.oracleDid,
        record.oracleEntityDid,
        record.roomId ?? null,
      );
      return true;
    },
    touchSession(sessionId, { title, lastUpdatedAt }) {
      if (!written()) return;
      sql.exec(
        // A repeated report does not move the time backwards.
        `UPDATE sessions SET title = COALESCE(?1, title), last_updated_at = MAX(last_updated_at, COALESCE(?2, ''))
         WHERE session_id = ?3`,
        title ?? null,
        lastUpdatedAt ?? null,
        sessionId,
      );
    },
    removeSession(sessionId) {
      if (!written()) return;
      sql.exec("DELETE FROM sessions WHERE session_id = ?", sessionId);
      sql.exec("DELETE FROM sockets WHERE session_id = ?", sessionId);
    },
    listSockets(sessionId, sockets, limit) {
      if (sockets.length === 0 && !written()) return [];
      prepare();
      const list = JSON.stringify(sockets);
      sql.exec(
        `DELETE FROM sockets WHERE session_id = ?1
           AND socket_id NOT IN (SELECT value ->> 'socketId' FROM json_each(?2))`,
        sessionId,
        list,
      );
      // A socket that stays keeps its row, and so its position among sockets of one millisecond.
      sql.exec(
        `INSERT INTO sockets (session_id, socket_id, connected_at)
           SELECT ?1, value ->> 'socketId', value ->> 'connectedAt' FROM json_each(?2) WHERE true
         ON CONFLICT (session_id, socket_id) DO UPDATE SET connected_at = excluded.connected_at
           WHERE connected_at <> excluded.connected_at`,
        sessionId,
        list,
      );
      const surplus = sql
        .exec<SocketRow>(
          `SELECT session_id, socket_id FROM sockets ORDER BY connected_at DESC, position DESC LIMIT -1 OFFSET ?`,
          limit,
        )
        .toArray()
        .map(({ session_id, socket_id }) => ({ sessionId: session_id, socketId: socket_id }));
      for (const place of surplus)
        sql.exec("DELETE FROM sockets WHERE session_id = ? AND socket_id = ?", place.sessionId, place.socketId);
      return surplus;
    },
    storeDelegation({ token, expiration, capabilities }, nowSeconds) {
      prepare();
      sql.exec(
        "INSERT OR REPLACE INTO delegation (id, token, expiration, capabilities, stored_at) VALUES (1, ?, ?, ?, ?)",
        token,
        expiration,
        JSON.stringify(capabilities),
        nowSeconds,
      );
    },
    delegation(nowSeconds) {
      if (!written()) return null;
      const row = sql
        .exec<DelegationRow>("SELECT token, expiration, capabilities, stored_at FROM delegation")
        .toArray()[0];
      if (row === undefined) return null;
      if (row.expiration !== null && row.expiration <= nowSeconds) {
        eraseDelegation();
        return null;
      }
      return {
        token: row.token,
        expiration: row.expiration,
        capabilities: parseStoredJson(storedCapabilities, row.capabilities, "delegation"),
        storedAt: row.stored_at,
      };
    },
    revokeDelegation(revoked, nowMs) {
      if (revoked.length === 0 && !written()) return;
      prepare();
      eraseDelegation();
      sql.exec("INSERT OR REPLACE INTO revocation (id, revoked_at) VALUES (1, ?)", nowMs);
      const now = Math.floor(nowMs / 1000);
      sql.exec("DELETE FROM revoked_delegations WHERE until <= ?", now);
      for (const { cid, expiration } of revoked) {
        const until = expiration ?? now + ENDLESS_REVOCATION;
        sql.exec("INSERT OR REPLACE INTO revoked_delegations (cid, until) VALUES (?, ?)", cid, until);
      }
      sql.exec(
        `DELETE FROM revoked_delegations WHERE cid IN
           (SELECT cid FROM revoked_delegations ORDER BY until DESC, cid LIMIT -1 OFFSET ?)`,
        REVOKED_DELEGATIONS,
      );
    },
    isRevoked(cid, nowSeconds) {
      if (!written()) return false;
      return (
        sql.exec("SELECT 1 FROM revoked_delegations WHERE cid = ? AND until > ?", cid, nowSeconds).toArray().length > 0
      );
    },
    revokedAt() {
      if (!written()) return null;
      return sql.exec<{ revoked_at: number }>("SELECT revoked_at FROM revocation").toArray()[0]?.revoked_at ?? null;
    },
    promptShownAt() {
      if (!written()) return undefined;
      return sql.exec<{ shown_at: number }>("SELECT shown_at FROM reauthorisation_prompt").toArray()[0]?.shown_at;
    },
    setPromptShownAt(nowSeconds) {
      prepare();
      sql.exec("INSERT OR REPLACE INTO reauthorisation_prompt (id, shown_at) VALUES (1, ?)", nowSeconds);
    },
    erase() {
      if (written()) storage.transactionSync(() => ERASED.forEach((table) => sql.exec(`DELETE FROM ${table}`)));
    },
    isEmpty() {
      if (!written()) return true;
      const { kept } = sql
        .exec<{ kept: number }>(
          `SELECT EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM delegation)
             OR EXISTS (SELECT 1 FROM sockets) OR EXISTS (SELECT 1 FROM reauthorisation_prompt)
             OR EXISTS (SELECT 1 FROM revocation) OR EXISTS (SELECT 1 FROM plugin_totals) AS kept`,
        )
        .one();
      return kept === 0;
    },
  };
}

function recordOf(row: SessionRow): SessionRecord {
  return {
    sessionId: row.session_id,
    title: row.title,
    createdAt: row.created_at,
    lastUpdatedAt: row.last_updated_at,
    oracleName: row.oracle_name,
    oracleDid: row.oracle_did,
    oracleEntityDid: row.oracle_entity_did,
    ...(row.room_id === null ? {} : { roomId: row.room_id }),
  };
}
