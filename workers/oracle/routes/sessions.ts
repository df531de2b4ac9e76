/** Chat sessions (contract/oracle.md sections 1 and 7): made in their object and listed in their user's vault. */
import { Hono } from "hono";
import * as z from "zod";
import type { SessionRecord } from "../../../protocol/records.ts";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { readBody } from "../../platform/http/body.ts";
import { wholeNumber } from "../../platform/http/parameters.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleHono } from "../context.ts";
import { signedInRefusals, signedInSecurity } from "../description.ts";
import { BODY_TIME_MS, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, SMALL_BODY_BYTES } from "../../../protocol/limits.ts";
import { answerAdmitted, countBefore } from "../middleware/rate-limit.ts";
import { signedIn } from "../middleware/signed-in.ts";
import { namesSession, sessionParams, validQuery } from "../middleware/validated.ts";
import { chatSession, userStore } from "../objects.ts";
import { sessionList, sessionRecord } from "../../../protocol/records.ts";

const tag = "Sessions";
export const sessionRoutes = new Hono<OracleHono>();

/** Until the first turn has given it a better one. */
const FIRST_TITLE = "Untitled";

export const createSession: Operation = {
  method: "post",
  path: "/sessions",
  id: "createSession",
  summary: "Open a chat session",
  description: "Takes no body; one that is sent is ignored.",
  tag,
  security: signedInSecurity,
  responses: {
    201: { description: "The new session", content: { schema: sessionRecord } },
    ...signedInRefusals({
      409: "You have 1000 sessions, which is the limit. Delete one to open another.",
      413: "Request body too large",
    }),
  },
};

sessionRoutes.post(createSession.path, signedIn, countBefore, async (c) => {
  const body = await readBody(c.req.raw, SMALL_BODY_BYTES, { timeMs: BODY_TIME_MS });
  if (!body.ok && (body.error.code === "too_large" || body.error.code === "request_timeout"))
    return refuse(c, body.error);
  const { env } = c.env;
  const { caller, runtime } = c.var;
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
  // The object first: a session that only its object knows is invisible, one that only the index knows is broken.
  const session = chatSession(env, record.sessionId);
  const created = await session.create(caller.did, record);
  const { ORACLE_SESSIONS_PER_USER } = runtime.config;
  if (await userStore(env, caller.did).putSession(created, ORACLE_SESSIONS_PER_USER)) return c.json(created, 201);
  await session.destroy(caller.did);
  return refuse(c, tooManySessions(ORACLE_SESSIONS_PER_USER));
});

function tooManySessions(limit: number): Failure {
  return newFailure("conflict", `You have ${limit} sessions, which is the limit. Delete one to open another.`, {
    reason: "session_limit",
    retryable: false,
  });
}

const listQuery = z.object({
  limit: wholeNumber({
    minimum: 1,
    fallback: DEFAULT_PAGE_SIZE,
    clamp: MAX_PAGE_SIZE,
    description: "How many sessions.",
  }),
  offset: wholeNumber({ minimum: 0, fallback: 0, description: "How many sessions to skip." }),
});

export const listSessions: Operation = {
  method: "get",
  path: "/sessions",
  id: "listSessions",
  summary: "List the caller's sessions, the one last used first",
  tag,
  security: signedInSecurity,
  query: listQuery,
  responses: {
    200: {
      description: "One page; `total` counts all sessions",
      content: { schema: sessionList },
    },
    ...signedInRefusals({ 400: "limit must be a whole number of at least 1" }),
  },
};

sessionRoutes.get(listSessions.path, signedIn, validQuery(listQuery), async (c) => {
  const { ORACLE_RATE_LIMIT_PER_MINUTE } = c.var.runtime.config;
  const listed = await userStore(c.env.env, c.var.caller.did).listSessions(
    ORACLE_RATE_LIMIT_PER_MINUTE,
    c.req.valid("query"),
  );
  return answerAdmitted(c, listed, (page) => c.json(page));
});

export const deleteSession: Operation = {
  method: "delete",
  path: "/sessions/:sessionId",
  id: "deleteSession",
  summary: "Delete a session: stops its turn, erases its transcript",
  tag,
  security: signedInSecurity,
  params: sessionParams,
  responses: {
    200: {
      description: "Deleted",
      content: {
        schema: z.object({ message: z.string() }),
        example: { message: "Session deleted successfully" },
      },
    },
    ...signedInRefusals({ 404: "Session not found" }),
  },
};

sessionRoutes.delete(deleteSession.path, signedIn, namesSession, countBefore, async (c) => {
  const { env } = c.env;
  const { did } = c.var.caller;
  const { sessionId } = c.req.valid("param");
  const session = chatSession(env, sessionId);
  const described = await session.describe(did);
  if (!described.ok) return refuse(c, described.error);
  // The index first, so that a deletion cut short leaves nothing half-erased in a list; asking again finishes it.
  await userStore(env, did).removeSession(sessionId);
  const destroyed = await session.destroy(did);
  if (!destroyed.ok) return refuse(c, destroyed.error);
  return c.json({ message: "Session deleted successfully" });
});
