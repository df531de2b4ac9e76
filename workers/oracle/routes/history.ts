/** A session's transcript, whole or in pages of turns (contract/oracle.md section 6). */
import { Hono } from "hono";
import * as z from "zod";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../../protocol/limits.ts";
import { wholeNumber } from "../../platform/http/parameters.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleHono } from "../context.ts";
import { signedInRefusals, signedInSecurity } from "../description.ts";
import { countBefore } from "../middleware/rate-limit.ts";
import { signedIn } from "../middleware/signed-in.ts";
import { namesSession, sessionParams, validQuery } from "../middleware/validated.ts";
import { chatSession } from "../objects.ts";
import { messagePage, transcript } from "../../../protocol/records.ts";
import { JSON_CONTENT, streamTranscript } from "../whole-transcript.ts";

const tag = "Messages";
export const historyRoutes = new Hono<OracleHono>();

const cursor = (description: string) =>
  z.string({ error: "must be one cursor" }).min(1, "must be a cursor").optional().meta({ description });

const pageQuery = z
  .object({
    limit: wholeNumber({
      minimum: 1,
      fallback: DEFAULT_PAGE_SIZE,
      clamp: MAX_PAGE_SIZE,
      description: "How many turns.",
    }),
    before: cursor("The turns before this one: `prevCursor` of a page."),
    after: cursor("The turns after this one: `nextCursor` of a page."),
  })
  .refine(({ before, after }) => before === undefined || after === undefined, {
    error: "before and after cannot be used together",
  });

export const pageMessages: Operation = {
  method: "get",
  path: "/sessions/:sessionId/messages",
  id: "pageMessages",
  summary: "Read a page of turns, oldest message first",
  description: "Without a cursor the newest page. A turn that still runs is sent again by the next `after` call.",
  tag,
  security: signedInSecurity,
  params: sessionParams,
  query: pageQuery,
  responses: {
    200: { description: "The page", content: { schema: messagePage } },
    ...signedInRefusals({ 400: "Unknown cursor", 404: "Session not found" }),
  },
};

// Counted before, not beside: a transcript may be megabytes, which a refused caller must not make us read.
historyRoutes.get(pageMessages.path, signedIn, namesSession, validQuery(pageQuery), countBefore, async (c) => {
  const session = chatSession(c.env.env, c.req.valid("param").sessionId);
  const page = await session.messagePage(c.var.caller.did, c.req.valid("query"));
  return page.ok ? c.json(page.value) : refuse(c, page.error);
});

export const listMessages: Operation = {
  method: "get",
  path: "/messages/:sessionId",
  id: "listMessages",
  summary: "Read the whole transcript, oldest message first",
  tag,
  security: signedInSecurity,
  params: sessionParams,
  responses: {
    200: { description: "The transcript", content: { schema: transcript } },
    ...signedInRefusals({ 404: "Session not found" }),
  },
};

historyRoutes.get(listMessages.path, signedIn, namesSession, countBefore, async (c) => {
  const session = chatSession(c.env.env, c.req.valid("param").sessionId);
  const streamed = await streamTranscript(session, c.var.caller.did);
  return streamed.ok ? c.body(streamed.value, 200, JSON_CONTENT) : refuse(c, streamed.error);
});
