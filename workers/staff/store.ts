/** The people of the console and their invitations, passkeys and sessions. Each table has a bound. */
import type { Database } from "../../platform/database/database.ts";
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS, type Staff } from "../../platform/staff/session.ts";
import { isStaffRole, type StaffRole } from "../../platform/staff/roles.ts";

/** Maximum people, including disabled ones, who stay because the audit log names them. */
export const STAFF = 1_000;
/** Maximum sessions of one person; a further sign-in ends the oldest. */
const SESSIONS = 20;
/** Rows of each kind that one sign-in removes after their end. */
const REMOVED_ROWS = 100;
/** Milliseconds by which the clocks of two isolates may differ, so that a used challenge is not forgotten too early. */
const CLOCK_DIFFERENCE_MS = 60_000;

export interface StaffRecord extends Staff {
  readonly createdAt: number;
  readonly disabledAt: number | null;
  readonly passkeys: number;
}

type StaffRow = Omit<StaffRecord, "role"> & { readonly role: string };

const COLUMNS = `id, name, role, did, created_at AS "createdAt", disabled_at AS "disabledAt",
  (SELECT count(*) FROM staff_passkeys WHERE staff_passkeys.staff_id = staff.id) AS "passkeys"`;

export async function listStaff(database: Database): Promise<readonly StaffRecord[]> {
  const query = `SELECT ${COLUMNS} FROM staff ORDER BY created_at, id LIMIT ?1`;
  const { results } = await database.prepare(query).bind(STAFF).all<StaffRow>();
  return results.flatMap(recordOf);
}

export async function readStaff(database: Database, id: string): Promise<StaffRecord | undefined> {
  const row = await database.prepare(`SELECT ${COLUMNS} FROM staff WHERE id = ?1`).bind(id).first<StaffRow>();
  return row === null ? undefined : recordOf(row)[0];
}

/** A row of a newer release may have a role that this one does not know; it gives no rights. */
function recordOf({ role, ...same }: StaffRow): readonly StaffRecord[] {
  return isStaffRole(role) ? [{ ...same, role }] : [];
}

export interface NewStaff extends Staff {
  readonly now: number;
}

/** Undefined if the table is full. A person with this id stays unchanged, and is returned. */
export async function addStaff(
  database: Database,
  { id, name, role, did, now }: NewStaff,
): Promise<StaffRecord | undefined> {
  const statement = `INSERT INTO staff (id, name, role, did, created_at) SELECT ?1, ?2, ?3, ?4, ?5
    WHERE (SELECT count(*) FROM staff) < ?6 ON CONFLICT (id) DO NOTHING`;
  await database.prepare(statement).bind(id, name, role, did, now, STAFF).run();
  return readStaff(database, id);
}

export interface StaffChange {
  readonly role: StaffRole;
  readonly disabledAt: number | null;
}

/** Also ends the sessions and the invitation of a person who is disabled. */
export async function changeStaff(database: Database, id: string, change: StaffChange): Promise<void> {
  const { role, disabledAt } = change;
  const update = database.prepare("UPDATE staff SET role = ?2, disabled_at = ?3 WHERE id = ?1");
  const ending = ["staff_sessions", "staff_invitations"].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE staff_id = ?1`).bind(id),
  );
  await database.batch([update.bind(id, role, disabledAt), ...(disabledAt === null ? [] : ending)]);
}

export interface Invitation {
  readonly staffId: string;
  readonly digest: string;
  readonly expiresAt: number;
}

export async function putInvitation(database: Database, { staffId, digest, expiresAt }: Invitation): Promise<void> {
  const statement = `INSERT INTO staff_invitations (staff_id, digest, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (staff_id) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at`;
  await database.prepare(statement).bind(staffId, digest, expiresAt).run();
}

/** The invited person, while the invitation is valid. */
export async function readInvited(database: Database, digest: string, now: number): Promise<StaffRecord | undefined> {
  const query = "SELECT staff_id AS id FROM staff_invitations WHERE digest = ?1 AND expires_at > ?2";
  const row = await database.prepare(query).bind(digest, now).first<{ id: string }>();
  const invited = row === null ? undefined : await readStaff(database, row.id);
  return invited?.disabledAt === null ? invited : undefined;
}

export interface Passkey {
  readonly credentialId: string;
  readonly staffId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/**
 * Adds the passkey and uses up the invitation, or does neither. The passkeys and sessions that the person had before
 * end, so a lost device cannot sign in, and its owner notices if an account is taken over.
 */
export async function acceptInvitation(
  database: Database,
  { digest, passkey, now }: { readonly digest: string; readonly passkey: Passkey; readonly now: number },
): Promise<boolean> {
  const { credentialId, staffId, publicKey, counter, transports } = passkey;
  const insert = `INSERT INTO staff_passkeys (credential_id, staff_id, public_key, counter, transports, created_at)
    SELECT ?1, staff_id, ?2, ?3, ?4, ?5 FROM staff_invitations WHERE digest = ?6 AND staff_id = ?7 AND expires_at > ?5
    ON CONFLICT (credential_id) DO NOTHING`;
  const isAdded = `EXISTS (SELECT 1 FROM staff_passkeys WHERE credential_id = ?2 AND staff_id = ?1)
    AND EXISTS (SELECT 1 FROM staff_invitations WHERE digest = ?3 AND staff_id = ?1)`;
  const [added] = await database.batch([
    database.prepare(insert).bind(credentialId, publicKey, counter, JSON.stringify(transports), now, digest, staffId),
    database
      .prepare(`DELETE FROM staff_sessions WHERE staff_id = ?1 AND ${isAdded}`)
      .bind(staffId, credentialId, digest),
    database
      .prepare(`DELETE FROM staff_passkeys WHERE staff_id = ?1 AND credential_id <> ?2 AND ${isAdded}`)
      .bind(staffId, credentialId, digest),
    database.prepare("DELETE FROM staff_invitations WHERE digest = ?1").bind(digest),
  ]);
  return added?.meta.changes === 1;
}

export async function readPasskey(database: Database, credentialId: string): Promise<Passkey | undefined> {
  const query = `SELECT credential_id AS "credentialId", staff_id AS "staffId", public_key AS "publicKey", counter,
    transports FROM staff_passkeys WHERE credential_id = ?1`;
  const row = await database
    .prepare(query)
    .bind(credentialId)
    .first<Omit<Passkey, "transports"> & { readonly transports: string }>();
  return row === null ? undefined : { ...row, transports: JSON.parse(row.transports) as readonly string[] };
}

export interface PasskeyUse {
  readonly credentialId: string;
  readonly counter: number;
  readonly challenge: Pick<Invitation, "digest" | "expiresAt">;
  readonly now: number;
}

/** False if the challenge was used before. */
export async function usePasskey(database: Database, use: PasskeyUse): Promise<boolean> {
  const { credentialId, counter, challenge, now } = use;
  const [used] = await database.batch([
    database
      .prepare("INSERT INTO staff_used_challenges (digest, expires_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      .bind(challenge.digest, challenge.expiresAt),
    database
      .prepare(
        "UPDATE staff_passkeys SET counter = CASE WHEN counter < ?2 THEN ?2 ELSE counter END, last_used_at = ?3 WHERE credential_id = ?1",
      )
      .bind(credentialId, counter, now),
    database
      .prepare(
        `DELETE FROM staff_used_challenges WHERE digest IN
           (SELECT digest FROM staff_used_challenges WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`,
      )
      .bind(now - CLOCK_DIFFERENCE_MS, REMOVED_ROWS),
  ]);
  return used?.meta.changes === 1;
}

export interface NewSession {
  readonly digest: string;
  readonly id: string;
  readonly staffId: string;
  readonly method: "passkey" | "development";
  readonly device: string;
  readonly now: number;
  /** The digest of the session that it replaces. */
  readonly replaces: string | null;
}

export async function addSession(database: Database, session: NewSession): Promise<void> {
  const { digest, id, staffId, method, device, now, replaces } = session;
  const insert = `INSERT INTO staff_sessions
    (digest, id, staff_id, method, device, created_at, last_seen_at, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)`;
  const trim = `DELETE FROM staff_sessions WHERE staff_id = ?1 AND digest NOT IN
    (SELECT digest FROM staff_sessions WHERE staff_id = ?1 ORDER BY created_at DESC, id LIMIT ?2)`;
  const expire = `DELETE FROM staff_sessions WHERE digest IN
    (SELECT digest FROM staff_sessions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`;
  await database.batch([
    database.prepare("DELETE FROM staff_sessions WHERE digest = ?1").bind(replaces),
    database.prepare(insert).bind(digest, id, staffId, method, device, now, now + SESSION_LIFETIME_MS),
    database.prepare(trim).bind(staffId, SESSIONS),
    database.prepare(expire).bind(now, REMOVED_ROWS),
  ]);
}

export interface SessionRecord extends Pick<NewSession, "id" | "method" | "device"> {
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
}

/** The open sessions of a person, newest first. */
export async function listSessions(
  database: Database,
  staffId: string,
  now: number,
): Promise<readonly SessionRecord[]> {
  const query = `SELECT id, method, device, created_at AS "createdAt", last_seen_at AS "lastSeenAt",
      expires_at AS "expiresAt"
    FROM staff_sessions WHERE staff_id = ?1 AND expires_at > ?2 AND last_seen_at > ?3
    ORDER BY created_at DESC, id LIMIT ?4`;
  const bound = database.prepare(query).bind(staffId, now, now - SESSION_IDLE_MS, SESSIONS);
  return (await bound.all<SessionRecord>()).results;
}

/** Ends one session of a person, or all of them. False if there was none. */
export async function endSessions(database: Database, staffId: string, sessionId?: string): Promise<boolean> {
  const condition = sessionId === undefined ? "" : "AND id = ?2";
  const { meta } = await database
    .prepare(`DELETE FROM staff_sessions WHERE staff_id = ?1 ${condition}`)
    .bind(staffId, ...(sessionId === undefined ? [] : [sessionId]))
    .run();
  return meta.changes > 0;
}

/** Returns the stored key. If there is none, stores `fresh` and returns it. */
export async function challengeKey(database: Database, fresh: string): Promise<string> {
  const insert = "INSERT INTO staff_challenge_key (id, value) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING";
  const select = "SELECT value FROM staff_challenge_key WHERE id = 1";
  const known = await database.prepare(select).first<string>("value");
  if (known !== null) return known;
  await database.prepare(insert).bind(fresh).run();
  return (await database.prepare(select).first<string>("value")) ?? fresh;
}
