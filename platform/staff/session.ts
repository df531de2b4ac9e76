/**
 * Finds the member of staff of a request, by the cookie of a session. Each request reads the database, so that a
 * sign-out, a new role or a disabled account applies to the next one.
 */
import type { Database } from "../database/database.ts";
import { sha256Hex } from "../digest.ts";
import { newFailure, type Failure } from "../failure.ts";
import { failure, success, type Result } from "../result.ts";
import { sessionTokenOf } from "./cookie.ts";
import { LOOPBACK } from "./loopback.ts";
import { isStaffRole, mayCall, rolesOf, type StaffRole } from "./roles.ts";
import { isOfOwnPage } from "./same-origin.ts";

/** Milliseconds without a request after which a session ends. */
export const SESSION_IDLE_MS = 2 * 3_600_000;
/** Milliseconds after which a session ends in any case. */
export const SESSION_LIFETIME_MS = 12 * 3_600_000;
/** Milliseconds between two updates of a session's last use. */
const LAST_SEEN_PRECISION = 60_000;

export interface Staff {
  readonly id: string;
  readonly name: string;
  readonly role: StaffRole;
  readonly did: string;
}

export interface StaffSession extends Staff {
  readonly sessionId: string;
  /** The session's token as the database has it. */
  readonly digest: string;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly did: string;
  readonly sessionId: string;
  readonly lastSeenAt: number;
  readonly method: string;
}

/** Whether the request has a session's cookie and no credentials of a machine, which come first. */
export function hasStaffCookie(request: Request): boolean {
  const { headers } = request;
  return !headers.has("Authorization") && !headers.has("X-API-Key") && sessionTokenOf(request) !== undefined;
}

/** The session of the cookie; undefined if the request has none. `now` in Unix milliseconds. */
async function findStaffSession(
  request: Request,
  database: Database,
  now: number,
): Promise<Result<StaffSession | undefined>> {
  const token = hasStaffCookie(request) ? sessionTokenOf(request) : undefined;
  if (token === undefined) return success(undefined);
  if (!isOfOwnPage(request)) return failure(OTHER_PAGE);
  const digest = await sha256Hex(token);
  const row = await database
    .prepare(
      `SELECT staff.id, staff.name, staff.role, staff.did, staff_sessions.id AS "sessionId",
         staff_sessions.last_seen_at AS "lastSeenAt", staff_sessions.method
       FROM staff_sessions JOIN staff ON staff.id = staff_sessions.staff_id
       WHERE staff_sessions.digest = ?1 AND staff.disabled_at IS NULL AND staff_sessions.expires_at > ?2
         AND staff_sessions.last_seen_at > ?3`,
    )
    .bind(digest, now, now - SESSION_IDLE_MS)
    .first<Row>();
  if (row === null || !isStaffRole(row.role)) return failure(SIGNED_OUT);
  // If the database of a development machine is deployed, the sessions of its developer are refused.
  if (row.method === "development" && !LOOPBACK.test(new URL(request.url).hostname)) return failure(SIGNED_OUT);
  if (row.lastSeenAt <= now - LAST_SEEN_PRECISION) {
    const touch = "UPDATE staff_sessions SET last_seen_at = ?2 WHERE digest = ?1 AND last_seen_at < ?2";
    await database.prepare(touch).bind(digest, now).run();
  }
  const { id, name, role, did, sessionId } = row;
  return success({ id, name, role, did, sessionId, digest });
}

/** The session, if its role may call the operation. */
export async function admitStaff(
  request: Request,
  { database, now, operation }: { readonly database: Database; readonly now: number; readonly operation: string },
): Promise<Result<StaffSession | undefined>> {
  const session = await findStaffSession(request, database, now);
  if (!session.ok || session.value === undefined || mayCall(session.value.role, operation)) return session;
  return failure(refusalOfRole(session.value.role, operation));
}

const OTHER_PAGE: Failure = newFailure(
  "unauthenticated",
  "A staff session is accepted only from the console's own pages; use an API key in programs",
);
export const SIGNED_OUT: Failure = newFailure("unauthenticated", "Your session has ended; sign in again");

/** Names the roles that can, so that the caller knows whom to ask. */
function refusalOfRole(role: StaffRole, operation: string): Failure {
  const able = rolesOf(operation);
  const message =
    able.length === 0
      ? "Staff sessions cannot call this route; use an API key"
      : `Your role, ${role}, cannot do this. Roles that can: ${able.join(", ")}`;
  return newFailure("forbidden", message);
}
