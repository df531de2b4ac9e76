/** A member of staff about themselves: who they are, what they can do, and their sessions. */
import * as z from "zod";
import { fail } from "../../platform/failure.ts";
import { reply } from "../../platform/http/route.ts";
import { expiredSessionCookie } from "../../platform/staff/cookie.ts";
import { operationRoles, operationsOf, roleSummaries, staffRoles } from "../../platform/staff/roles.ts";
import { SIGNED_OUT } from "../../platform/staff/session.ts";
import { bySession, route, type StaffContext } from "./edge.ts";
import { endSessions, listSessions, type SessionRecord } from "./store.ts";

const shared = { tag: "Staff", auth: bySession };
const signedOut = { 204: { description: "Signed out; the response deletes the cookie" } };

const readSelf = route(
  {
    ...shared,
    method: "get",
    path: "/staff/me",
    id: "getCurrentStaff",
    summary: "Get the signed-in member of staff, and what each role can do",
    responses: { 200: { description: "The member of staff" } },
  },
  (_input, c) => {
    const { session } = c.var;
    if (session === undefined) return { ok: false, error: SIGNED_OUT };
    const { id, name, role, did, sessionId } = session;
    const roles = staffRoles.map((each) => ({ name: each, summary: roleSummaries[each] }));
    const self = { id, name, role, did, sessionId, operations: operationsOf(role) };
    return reply({ self, roles, operations: operationRoles });
  },
);

const signOut = route(
  {
    ...shared,
    method: "post",
    path: "/staff/sign-out",
    id: "signOutStaff",
    summary: "End this session",
    responses: signedOut,
  },
  async (_input, c) => {
    const { session } = c.var;
    if (session !== undefined) await endSessions(c.var.database, session.id, session.sessionId);
    return deletingCookie(c);
  },
);

const list = route(
  {
    ...shared,
    method: "get",
    path: "/staff/sessions",
    id: "listStaffSessions",
    summary: "List your open sessions, newest first",
    responses: { 200: { description: "The sessions" } },
  },
  async (_input, c) => {
    const { session } = c.var;
    if (session === undefined) return { ok: false, error: SIGNED_OUT };
    const sessions = await listSessions(c.var.database, session.id, c.var.now);
    return reply({ data: sessions.map((each) => shown(each, session.sessionId)) });
  },
);

const end = route(
  {
    ...shared,
    method: "delete",
    path: "/staff/sessions/:sessionId",
    id: "endStaffSession",
    summary: "End one of your sessions",
    params: z.object({ sessionId: z.string().max(100) }),
    responses: { 204: { description: "Ended" } },
    failures: ["not_found"],
  },
  async ({ params: { sessionId } }, c) => {
    const { session } = c.var;
    if (session === undefined) return { ok: false, error: SIGNED_OUT };
    const ended = await endSessions(c.var.database, session.id, sessionId);
    return ended ? reply(undefined, { status: 204 }) : fail("not_found", "You have no such session");
  },
);

const endAll = route(
  {
    ...shared,
    method: "delete",
    path: "/staff/sessions",
    id: "endAllStaffSessions",
    summary: "Sign out everywhere",
    responses: signedOut,
  },
  async (_input, c) => {
    const { session } = c.var;
    if (session !== undefined) await endSessions(c.var.database, session.id);
    return deletingCookie(c);
  },
);

export const sessionRoutes = [readSelf, signOut, list, end, endAll];

function deletingCookie(c: StaffContext) {
  return reply(undefined, { status: 204, headers: { "Set-Cookie": expiredSessionCookie(c.req.url) } });
}

function shown({ id, method, device, createdAt, lastSeenAt, expiresAt }: SessionRecord, current: string) {
  const [created, seen, expires] = [createdAt, lastSeenAt, expiresAt].map((at) => new Date(at).toISOString());
  return { id, method, device, createdAt: created, lastSeenAt: seen, expiresAt: expires, isCurrent: id === current };
}
