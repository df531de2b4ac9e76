/** Turns: sending a message, streamed or not, and aborting the turn in flight (contract/oracle.md sections 1, 4, 6.3). */
import type { ChatSessionRpc, RunReply } from "../../../durable-objects/chat-session/calls.ts";
import type { RunRequest } from "../../../durable-objects/chat-session/run-request.ts";
import { Hono } from "hono";
import * as z from "zod";
import { newFailure, type Failure } from "../../platform/failure.ts";
import { readJsonBody } from "../../platform/http/body.ts";
import type { JsonObject } from "../../platform/json.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleContext, type OracleHono } from "../context.ts";
import { streamFrame } from "../../../protocol/frames.ts";
import { signedInRefusals, signedInSecurity } from "../description.ts";
import { streamHeaders, streamRun } from "../event-stream.ts";
import { BODY_TIME_MS, SMALL_BODY_BYTES, MESSAGE_BODY_BYTES } from "../../../protocol/limits.ts";
import { countBefore, countTurnBefore } from "../middleware/rate-limit.ts";
import { signedIn } from "../middleware/signed-in.ts";
import { namesSession, sessionParams } from "../middleware/validated.ts";
import { chatSession, isSessionId } from "../objects.ts";
import { abortReply, messageReply } from "../../../protocol/records.ts";
import { abortBody, sendMessageBody } from "../../../protocol/requests.ts";
import { turnOf } from "../send-message.ts";
import { JSON_CONTENT, streamTranscript } from "../whole-transcript.ts";

const tag = "Messages";
export const messageRoutes = new Hono<OracleHono>();

export const abortTurn: Operation = {
  method: "post",
  path: "/messages/abort",
  id: "abortTurn",
  summary: "Stop the turn in flight and drop the queued ones",
  tag,
  security: signedInSecurity,
  body: { schema: abortBody },
  responses: {
    200: {
      description: "`success` is false when nothing was in flight",
      content: { schema: abortReply },
    },
    ...signedInRefusals({ 400: "sessionId must be a string", 404: "Session not found", 413: "Request body too large" }),
  },
};

// Before `/messages/:sessionId`, whose pattern it also meets.
messageRoutes.post(abortTurn.path, signedIn, countBefore, async (c) => {
  const body = await readJsonBody(c.req.raw, abortBody, SMALL_BODY_BYTES, { timeMs: BODY_TIME_MS });
  if (!body.ok) return refuse(c, body.error);
  const { sessionId } = body.value;
  if (!isSessionId(sessionId)) return refuse(c, newFailure("not_found", "Session not found"));
  const aborted = await chatSession(c.env.env, sessionId).abort(c.var.caller.did);
  return aborted.ok ? c.json({ success: aborted.value }) : refuse(c, aborted.error);
});

export const sendMessage: Operation = {
  method: "post",
  path: "/messages/:sessionId",
  id: "sendMessage",
  summary: "Send a message and get the answer, whole or as server-sent events",
  description: "With `stream: true` the answer is `text/event-stream`. A client that goes away does not stop the turn.",
  tag,
  security: signedInSecurity,
  params: sessionParams,
  headers: z.object({
    "x-timezone": z.string().optional().meta({ description: "IANA name, used when the body has none." }),
    "x-matrix-homeserver": z.string().optional().meta({ description: "Used when the body has no `homeServer`." }),
  }),
  body: { schema: sendMessageBody, example: { message: "Hello", stream: true } },
  responses: {
    200: {
      description: "The answer",
      content: [{ schema: messageReply }, { schema: z.string(), type: "text/event-stream", line: streamFrame }],
      headers: streamHeaders,
    },
    ...signedInRefusals({
      400: "message must be a non-empty string",
      404: "Session not found",
      413: "Request body too large",
      502: "The model did not answer",
    }),
  },
};

messageRoutes.post(sendMessage.path, signedIn, namesSession, countTurnBefore, async (c) => {
  const body = await readJsonBody(c.req.raw, sendMessageBody, MESSAGE_BODY_BYTES, { timeMs: BODY_TIME_MS });
  if (!body.ok) return refuseTurn(c, body.error);
  const { did, delegation } = c.var.caller;
  const { runKey, refusal } = c.var.turn;
  const messageLimit = c.var.runtime.config.ORACLE_MESSAGES_PER_SESSION;
  const { sessionId } = c.req.valid("param");
  const session = chatSession(c.env.env, sessionId);
  const turn = turnOf(body.value, { runKey, requestId: c.env.requestId, headers: c.req.raw.headers, delegation });
  // A stream that joins a run says so at once; who waits for a whole reply would hold a turn until its end.
  const sentBefore = (refusal !== undefined || !body.value.stream) && (await wasSent(session, did, turn));
  if (refusal !== undefined && !sentBefore) return refuse(c, refusal);
  if (sentBefore) await c.var.turn.release();
  if (body.value.stream) {
    const started = await session.startRun(did, turn, messageLimit);
    if (!started.ok) return refuseTurn(c, started.error);
    if (started.value.replayed) await c.var.turn.release();
    return streamRun(c, started.value);
  }
  const replied = await session.completeRun(did, turn, messageLimit);
  if (!replied.ok) return refuseTurn(c, replied.error);
  const reply = replied.value;
  if (reply.replayed) await c.var.turn.release();
  if (reply.status !== "finished" && reply.status !== "aborted") return withRun(c, broken(c, reply), reply);
  const answer = answerOf(sessionId, reply);
  if (!body.value.returnAllMessages) return withRun(c, c.json(answer), reply);
  const whole = await streamTranscript(session, did, answer);
  return whole.ok ? withRun(c, c.body(whole.value, 200, JSON_CONTENT), reply) : refuse(c, whole.error);
});

/** A turn that was counted did not start; of one beyond the limits of the day these are the reason. */
async function refuseTurn(c: OracleContext, reason: Failure): Promise<Response> {
  await c.var.turn.release();
  return refuse(c, c.var.turn.refusal ?? reason);
}

/** Sent again, it starts nothing, so that no limit of the day refuses it. */
async function wasSent(session: ChatSessionRpc, did: string, { clientMessageId }: RunRequest): Promise<boolean> {
  if (clientMessageId === undefined) return false;
  const known = await session.hasMessage(did, clientMessageId);
  return known.ok && known.value;
}

function withRun(c: OracleContext, response: Response, { runId }: RunReply): Response {
  response.headers.set("X-Request-Id", c.env.requestId);
  response.headers.set("x-run-id", runId);
  return response;
}

function answerOf(sessionId: string, reply: RunReply): JsonObject {
  return {
    // An aborted turn without any text left no record; the run stands for it.
    message: { type: "ai", content: reply.content, id: reply.messageId ?? reply.runId },
    sessionId,
    finishReason: reply.finishReason,
    aborted: reply.status === "aborted" ? true : undefined,
    delegationRequired: reply.delegationRequired,
  };
}

function broken(c: OracleContext, { failure }: RunReply): Response {
  const message = failure?.message ?? "The answer was interrupted; please send the message again";
  const { kind = "unknown", retryAfterMs } = failure ?? {};
  return refuse(
    c,
    newFailure(
      "upstream_failed",
      message,
      retryAfterMs === undefined ? {} : { retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1000)) },
    ),
    { members: { kind, retryAfterMs } },
  );
}
