/** Durable runs: what is still running in a session, and joining a run again (contract/oracle.md section 5). */
import { Hono } from "hono";
import * as z from "zod";
import { wholeNumber } from "../../platform/http/parameters.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleHono } from "../context.ts";
import { streamFrame } from "../../../protocol/frames.ts";
import { signedInRefusals, signedInSecurity } from "../description.ts";
import { streamHeaders, streamRun } from "../event-stream.ts";
import { countBefore, countBeside } from "../middleware/rate-limit.ts";
import { signedIn } from "../middleware/signed-in.ts";
import { namesRun, namesSession, runParams, sessionParams, validQuery } from "../middleware/validated.ts";
import { chatSession, sessionOfRun } from "../objects.ts";
import { activeRunReply } from "../../../protocol/records.ts";

const tag = "Runs";
export const runRoutes = new Hono<OracleHono>();

export const activeRun: Operation = {
  method: "get",
  path: "/sessions/:sessionId/run",
  id: "activeRun",
  summary: "Tell the unfinished run of a session, if any",
  tag,
  security: signedInSecurity,
  params: sessionParams,
  responses: {
    200: { description: "The run, or null", content: { schema: activeRunReply } },
    ...signedInRefusals({ 404: "Session not found" }),
  },
};

runRoutes.get(activeRun.path, signedIn, namesSession, countBeside, async (c) => {
  const run = await chatSession(c.env.env, c.req.valid("param").sessionId).activeRun(c.var.caller.did);
  return run.ok ? c.json({ run: run.value }) : refuse(c, run.error);
});

/** What a browser's EventSource sends when it connects again. */
const LAST_EVENT_ID = "Last-Event-ID";

const followQuery = z.object({
  after: wholeNumber({ minimum: 0, fallback: 0, description: "The id of the last frame that was received." }),
});

export const followRun: Operation = {
  method: "get",
  path: "/runs/:runId",
  id: "followRun",
  summary: "Join a run again: missed frames, then live ones, then `done`",
  description:
    "The frames of a session's newest 50 runs are kept for 24 hours after their end. For an older run, and for one that never was, the answer is 404.",
  tag,
  security: signedInSecurity,
  params: runParams,
  query: followQuery,
  headers: z.object({
    "last-event-id": z.string().optional().meta({
      description: "The same as `after`, as an EventSource sends it; the greater of both counts.",
    }),
  }),
  responses: {
    200: {
      description: "Server-sent events",
      content: { schema: z.string(), type: "text/event-stream", line: streamFrame },
      headers: streamHeaders,
    },
    ...signedInRefusals({ 400: "after must be a whole number of at least 0", 404: "Run not found" }),
  },
};

// Counted before, not beside: a refused stream would have been opened for nothing.
runRoutes.get(followRun.path, signedIn, namesRun, validQuery(followQuery), countBefore, async (c) => {
  const { runId } = c.req.valid("param");
  const session = chatSession(c.env.env, sessionOfRun(runId));
  const { after } = c.req.valid("query");
  const lastEventId = c.req.header(LAST_EVENT_ID) ?? "";
  const last = /^\d+$/.test(lastEventId) && Number.isSafeInteger(Number(lastEventId)) ? Number(lastEventId) : 0;
  const followed = await session.followRun(c.var.caller.did, runId, Math.max(after, last));
  return followed.ok ? streamRun(c, { runId, ...followed.value }) : refuse(c, followed.error);
});
