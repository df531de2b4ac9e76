/** Sending a message, and reading the reply whole or as a stream. */
import { WEB_CLIENT, sendMessageBody, type SendMessage } from "../../../protocol/requests.ts";
import * as z from "zod";
import type { ChatSessionRpc, RunReply } from "../../../durable-objects/chat-session/calls.ts";
import type { RunRequest } from "../../../oracle/run-request.ts";
import { streamFrame } from "../../../protocol/frames.ts";
import { MAX_CLIENT_MESSAGE_ID_LENGTH, MESSAGE_BODY_BYTES } from "../../../protocol/limits.ts";
import { messageReply, type MessageReply } from "../../../protocol/records.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { failure } from "../../../platform/result.ts";
import { signedIn } from "../http/authentication.ts";
import { refuse, sessionNotFound, type OracleContext } from "../http/failures.ts";
import { countRunBefore } from "../http/limits.ts";
import { route, sessionParams } from "../http/route.ts";
import { chatSession } from "../objects.ts";
import { timezoneOf } from "../timezone.ts";
import { streamTranscript } from "./transcript.ts";
import type { Delegation } from "../../../oracle/framework/delegation.ts";

const sendMessage = route(
  {
    method: "post",
    path: "/messages/:sessionId",
    id: "sendMessage",
    summary: "Send a message",
    description:
      "The reply is one JSON object or, with `stream: true`, `text/event-stream`. A client that disconnects does not stop the run.",
    tag: "Messages",
    auth: signedIn,
    params: sessionParams,
    headers: z.object({
      "x-timezone": z.string().optional().meta({ description: "IANA time zone, used if the body has none." }),
      "x-matrix-homeserver": z.string().optional().meta({ description: "Used if the body has no `homeServer`." }),
      "x-matrix-access-token": z.string().optional().meta({
        description: "The user's Matrix token, for plugins that read their media. Never stored.",
      }),
    }),
    body: { schema: sendMessageBody, limit: MESSAGE_BODY_BYTES, example: { message: "Hello", stream: true } },
    middleware: [countRunBefore],
    responses: {
      200: {
        description: "The answer",
        content: [{ schema: messageReply }, { schema: z.string(), type: "text/event-stream", line: streamFrame }],
        headers: {
          "X-Request-Id": "The id of the request; every frame carries it.",
          "x-run-id": "The run; `GET /runs/{runId}` resumes its stream.",
        },
      },
    },
    failures: [
      sessionNotFound,
      newFailure("conflict", "This session has 2000 messages, which is the limit. Open another session.", {
        reason: "message_limit",
        retryable: false,
      }),
      newFailure("upstream_failed", "The model did not answer"),
    ],
  },
  async ({ env, params: { sessionId }, headers, body, caller: { did, delegation }, runtime }, c) => {
    const { counted } = c.var;
    /** Releases the counted run, which does not start; if a limit of the day is reached, that limit is the reason. */
    const rejected = async (reason: Failure) => {
      await counted.release();
      return failure(counted.limitReached ?? reason);
    };
    const sent = await body();
    if (!sent.ok) return rejected(sent.error);
    const request = runRequestOf(sent.value, {
      runKey: counted.runKey,
      requestId: c.env.requestId,
      headers,
      delegation,
    });
    const session = chatSession(env, sessionId);
    const { stream, returnAllMessages } = sent.value;
    // The repetition of a streamed request is recognised as soon as the stream starts. The repetition of a whole reply is
    // recognised only at the run's end: until then it would count a run that never starts, so the run is looked up first.
    const isRepeated = (counted.limitReached !== undefined || !stream) && (await wasSent(session, did, request));
    if (counted.limitReached !== undefined && !isRepeated) return failure(counted.limitReached);
    if (isRepeated) await counted.release();

    const messageLimit = runtime.config.ORACLE_MESSAGES_PER_SESSION;
    const { revision, grant } = counted;
    const unstored = { matrixAccessToken: headers["x-matrix-access-token"], revision, grant };
    if (stream) {
      const started = await session.startRun(did, request, messageLimit, unstored);
      if (!started.ok) return rejected(started.error);
      if (started.value.replayed) await counted.release();
      return streamRun(c, started.value);
    }
    const completed = await session.completeRun(did, request, messageLimit, unstored);
    if (!completed.ok) return rejected(completed.error);
    const run = completed.value;
    if (run.replayed) await counted.release();
    if (run.status !== "finished" && run.status !== "aborted") return withRun(c, failedRun(c, run), run);
    const reply = replyOf(sessionId, run);
    if (!returnAllMessages) return withRun(c, c.json(reply), run);
    const whole = await streamTranscript(session, did, reply);
    return whole.ok ? withRun(c, whole.value, run) : whole;
  },
);

export const messageRoutes = [sendMessage];

/** The parts of the request besides the body that a run uses. */
interface RequestContext {
  /** The id under which the run was counted. */
  readonly runKey: string;
  readonly requestId: string;
  readonly headers: { readonly "x-timezone"?: string | undefined; readonly "x-matrix-homeserver"?: string | undefined };
  /** The verified delegation in the request's own header. */
  readonly delegation: Delegation | undefined;
}

export function runRequestOf(
  body: SendMessage,
  { runKey, requestId, headers, delegation }: RequestContext,
): RunRequest {
  const { message, capabilities, model, multitask, attachments, mcpInvocations, metadata } = body;
  return {
    runKey,
    clientMessageId: clientMessageIdOf(metadata),
    requestId,
    client: "portal",
    capabilities: { ...WEB_CLIENT, ...capabilities },
    message,
    model,
    multitask,
    timezone: timezoneOf(body.timezone, headers["x-timezone"]),
    attachments,
    tools: firstOfEachName(body.tools),
    agActions: firstOfEachName(body.agActions),
    mcpInvocations,
    homeServer: body.homeServer ?? headers["x-matrix-homeserver"],
    metadata,
    delegation,
  };
}

/** Any other value under that name is the client's own. */
function clientMessageIdOf({ clientMessageId }: JsonObject): string | undefined {
  if (typeof clientMessageId !== "string" || clientMessageId === "") return undefined;
  return clientMessageId.length <= MAX_CLIENT_MESSAGE_ID_LENGTH ? clientMessageId : undefined;
}

function firstOfEachName<Tool extends { readonly name: string }>(tools: readonly Tool[]): readonly Tool[] {
  return tools.filter(({ name }, index) => tools.findIndex((tool) => tool.name === name) === index);
}

/** A repeated message starts no run, so no limit of the day applies to it. */
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

function replyOf(sessionId: string, run: RunReply): MessageReply {
  return {
    // An aborted run without any text has no message; the run's id replaces the message id.
    message: { type: "ai", content: run.content, id: run.messageId ?? run.runId },
    sessionId,
    finishReason: run.finishReason,
    aborted: run.status === "aborted" ? true : undefined,
    delegationRequired: run.delegationRequired,
  };
}

function failedRun(c: OracleContext, { failure: reason }: RunReply): Response {
  const message = reason?.message ?? "The answer was interrupted; please send the message again";
  const { kind = "unknown", code = "run_interrupted", retryable = true, limit, retryAfterMs } = reason ?? {};
  const wait = retryAfterMs === undefined ? {} : { retryAfter: Math.max(1, Math.ceil(retryAfterMs / 1000)) };
  return refuse(c, newFailure("upstream_failed", message, { reason: code, retryable, ...wait }), {
    members: { kind, limit, retryAfterMs },
  });
}

export interface RunStream {
  readonly runId: string;
  /** The id of the request that started the run; a request that resumes it has a different id. */
  readonly requestId: string;
  readonly frames: ReadableStream<Uint8Array>;
}

/** A run's frames as a response. The session has encoded them already. */
export async function streamRun(c: OracleContext, { runId, requestId, frames }: RunStream): Promise<Response> {
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    // Keeps reverse proxies such as nginx from buffering frames.
    "X-Accel-Buffering": "no",
    "X-Request-Id": requestId,
    "x-run-id": runId,
  };
  if (c.req.method !== "HEAD") return c.body(frames, 200, headers);
  // HEAD reads no frame, and a stream without a reader would stay open needlessly.
  await frames.cancel();
  return c.body(null, 200, headers);
}
