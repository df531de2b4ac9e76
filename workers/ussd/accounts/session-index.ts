/**
 * The index of sessions: a dial finds a draft to resume in it, and operators list it (PH-100). The session objects are
 * authoritative; a row may lag, so readers filter by time and writers by revision.
 */
import type { Statement } from "../../../platform/database/database.ts";
import type { SessionEntry } from "../../../durable-objects/ussd-session/ports.ts";
import type { AccountSettings } from "./settings.ts";

/** Maximum sessions in one response. */
const LISTED_SESSIONS = 1_000;

export interface ActiveSession {
  /** A `sessionName`. */
  readonly name: string;
  /** Its current menu state. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly lastActivity: number;
}

export interface ActiveSessions {
  /** Latest activity first, at most `LISTED_SESSIONS`. */
  readonly sessions: readonly ActiveSession[];
  /** The number of all live sessions. */
  readonly count: number;
}

export async function saveSession({ database, ring }: AccountSettings, entry: SessionEntry): Promise<void> {
  await database
    .prepare(
      `INSERT INTO ussd_sessions (session_id, phone_key, service_code, state, authenticated, revision, started_at,
         last_activity, expires_at, resume_until, ended_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
       ON CONFLICT (session_id) DO UPDATE SET
         phone_key = excluded.phone_key, service_code = excluded.service_code, state = excluded.state,
         authenticated = excluded.authenticated, revision = excluded.revision, started_at = excluded.started_at,
         last_activity = excluded.last_activity, expires_at = excluded.expires_at,
         resume_until = excluded.resume_until, ended_at = excluded.ended_at
       WHERE (excluded.started_at, excluded.revision) >= (ussd_sessions.started_at, ussd_sessions.revision)`,
    )
    .bind(
      entry.sessionId,
      await ring.mac("phone", entry.phoneNumber),
      entry.serviceCode,
      entry.state,
      entry.authenticated ? 1 : 0,
      entry.revision,
      entry.startedAt,
      entry.lastActivity,
      entry.expiresAt,
      entry.resumeUntil,
      entry.endedAt,
    )
    .run();
}

export async function listActiveSessions({ database, clock }: AccountSettings): Promise<ActiveSessions> {
  const active = "ended_at IS NULL AND expires_at > ?1";
  const [rows, counts] = await database.batch([
    database
      .prepare(
        `SELECT session_id AS name, state, started_at AS startedAt, last_activity AS lastActivity
         FROM ussd_sessions WHERE ${active} ORDER BY last_activity DESC LIMIT ?2`,
      )
      .bind(clock(), LISTED_SESSIONS),
    database.prepare(`SELECT count(*) AS count FROM ussd_sessions WHERE ${active}`).bind(clock()),
  ]);
  const [total] = (counts?.results ?? []) as { readonly count: number }[];
  return { sessions: (rows?.results ?? []) as unknown as ActiveSession[], count: total?.count ?? 0 };
}

/** Deletes ended sessions without a draft, at most `limit`. */
export function purgeSessions(
  { database, clock }: Pick<AccountSettings, "database" | "clock">,
  limit: number,
): Statement {
  const end = "max(expires_at, coalesce(resume_until, 0))";
  return database
    .prepare(
      `DELETE FROM ussd_sessions WHERE session_id IN (
         SELECT session_id FROM ussd_sessions WHERE ${end} <= ?1 ORDER BY ${end} LIMIT ?2)`,
    )
    .bind(clock(), limit);
}
