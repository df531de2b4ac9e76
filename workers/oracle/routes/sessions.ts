/** Chat sessions: created in their own object, listed in their user's store. */
import * as z from "zod";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../protocol/limits.ts";
import { sessionDeleted, sessionList, sessionRecord, type SessionRecord } from "../../../protocol/records.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { wholeNumber } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure } from "../../../platform/result.ts";
import { signedIn } from "../http/authentication.ts";
import { sessionNotFound } from "../http/failures.ts";
import { countBefore, countedValue } from "../http/limits.ts";
import { bodyTooLarge, bodyTooSlow, ignoreBody, route, sessionParams } from "../http/route.ts";
import { chatSession, userVault } from "../objects.ts";

const tag = "Sessions";

/** The title until the first run sets a better one. */
const FIRST_TITLE = "Untitled";

const createSession = route(
  {
    method: "post",
    path: "/sessions",
    id: "createSession",
    summary: "Create a chat session",
    description: "Takes no body. A body is ignored.",
    tag,
    auth: signedIn,
    middleware: [countBefore],
    responses: { 201: { description: "The new session", content: { schema: sessionRecord } } },
    failures: [tooManySessions(1000), bodyTooLarge, bodyTooSlow],
  },
  async ({ env, caller, runtime }, c) => {
    const ignored = await ignoreBody(c);
    if (!ignored.ok) return ignored;
    const now = new Date().toISOString();
    const record: SessionRecord = {
      sessionId: crypto.randomUUID(),
      title: FIRST_TITLE,
      createdAt: now,
      lastUpdatedAt: now,
      oracleName: runtime.name,
      oracleDid: runtime.identity.did,
      oracleEntityDid: runtime.identity.entityDid,
    };
    // The object first: a session that only its object knows is invisible, one that only the list knows is broken.
    const session = chatSession(env, record.sessionId);
    const created = await session.create(caller.did, record);
    const limit = runtime.config.ORACLE_SESSIONS_PER_USER;
    if (await userVault(env, caller.did).putSession(created, limit)) return reply(created, { status: 201 });
    await session.destroy(caller.did);
    return failure(tooManySessions(limit));
  },
);

function tooManySessions(limit: number): Failure {
  return newFailure("conflict", `You have ${limit} sessions, which is the limit. Delete one to open another.`, {
    reason: "session_limit",
    retryable: false,
  });
}

const listSessions = route(
  {
    method: "get",
    path: "/sessions",
    id: "listSessions",
    summary: "List the caller's sessions, most recently used first",
    tag,
    auth: signedIn,
    query: z.object({
      limit: wholeNumber({
        minimum: 1,
        fallback: DEFAULT_PAGE_SIZE,
        clamp: MAX_PAGE_SIZE,
        description: "Number of sessions to return.",
      }),
      offset: wholeNumber({ minimum: 0, fallback: 0, description: "Number of sessions to skip." }),
    }),
    responses: { 200: { description: "One page; `total` counts all sessions", content: { schema: sessionList } } },
  },
  async ({ env, query, caller, runtime }, c) => {
    const store = userVault(env, caller.did);
    const page = countedValue(c, await store.listSessions(runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE, query));
    return page.ok ? reply(page.value) : page;
  },
);

const deleteSession = route(
  {
    method: "delete",
    path: "/sessions/:sessionId",
    id: "deleteSession",
    summary: "Delete a session, stop its run and erase its transcript",
    tag,
    auth: signedIn,
    params: sessionParams,
    middleware: [countBefore],
    responses: {
      200: {
        description: "Deleted",
        content: { schema: sessionDeleted, example: { message: "Session deleted successfully" } },
      },
    },
    failures: [sessionNotFound],
  },
  async ({ env, params: { sessionId }, caller: { did } }) => {
    const session = chatSession(env, sessionId);
    const described = await session.describe(did);
    if (!described.ok) return described;
    // The list first, so that an interrupted deletion leaves no half-erased session in it; deleting again completes it.
    await userVault(env, did).removeSession(sessionId);
    const destroyed = await session.destroy(did);
    return destroyed.ok ? reply({ message: "Session deleted successfully" }) : destroyed;
  },
);

export const sessionRoutes = [createSession, listSessions, deleteSession];
