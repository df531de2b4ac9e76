/** Runs: the active one of a session, resuming the stream of a run, aborting. */
import * as z from "zod";
import { streamFrame } from "../../../protocol/frames.ts";
import { abortReply, activeRunReply, approvalReply } from "../../../protocol/records.ts";
import { abortBody, approvalBody } from "../../../protocol/requests.ts";
import { wholeNumber } from "../../../platform/http/parameters.ts";
import { reply } from "../../../platform/http/route.ts";
import { failure } from "../../../platform/result.ts";
import { signedIn } from "../http/authentication.ts";
import { approvalOver, sessionNotFound } from "../http/failures.ts";
import { countBefore, countMeanwhile } from "../http/limits.ts";
import { approvalParams, route, runParams, sessionParams } from "../http/route.ts";
import { chatSession, isSessionId, sessionOfRun } from "../objects.ts";
import { streamRun } from "./messages.ts";

const tag = "Runs";

const activeRun = route(
  {
    method: "get",
    path: "/sessions/:sessionId/run",
    id: "activeRun",
    summary: "Get the active run",
    tag,
    auth: signedIn,
    params: sessionParams,
    middleware: [countMeanwhile],
    responses: { 200: { description: "The run, or null", content: { schema: activeRunReply } } },
    failures: [sessionNotFound],
  },
  async ({ env, params, caller }) => {
    const run = await chatSession(env, params.sessionId).activeRun(caller.did);
    return run.ok ? reply({ run: run.value }) : run;
  },
);

const resumeRun = route(
  {
    method: "get",
    path: "/runs/:runId",
    id: "resumeRun",
    summary: "Resume a run's event stream",
    description:
      "Sends the missed frames, then live frames, then `done`. The frames of a session's newest 50 runs are stored for 24 hours after their end. An older or unknown run is a 404.",
    tag,
    auth: signedIn,
    params: runParams,
    query: z.object({
      after: wholeNumber({ minimum: 0, fallback: 0, description: "The id of the last frame received." }),
    }),
    headers: z.object({
      "last-event-id": z.string().optional().meta({
        description: "Same as `after`, as sent by an EventSource. The greater of the two applies.",
      }),
    }),
    // Counted before, not concurrently: otherwise the stream of a rejected request would be opened needlessly.
    middleware: [countBefore],
    responses: {
      200: {
        description: "Server-sent events",
        content: { schema: z.string(), type: "text/event-stream", line: streamFrame },
        headers: {
          "X-Request-Id": "The id of the request that started the run; every frame carries it.",
          "x-run-id": "The run.",
        },
      },
    },
  },
  async ({ env, params: { runId }, query: { after }, headers, caller }, c) => {
    const lastEventId = headers["last-event-id"] ?? "";
    const last = /^\d+$/.test(lastEventId) && Number.isSafeInteger(Number(lastEventId)) ? Number(lastEventId) : 0;
    const followed = await chatSession(env, sessionOfRun(runId)).followRun(caller.did, runId, Math.max(after, last));
    return followed.ok ? streamRun(c, { runId, ...followed.value }) : followed;
  },
);

const abortRun = route(
  {
    method: "post",
    path: "/messages/abort",
    id: "abortRun",
    summary: "Stop the active run and remove the queued ones",
    tag,
    auth: signedIn,
    body: { schema: abortBody },
    middleware: [countBefore],
    responses: {
      200: { description: "`success` is false when no run was active", content: { schema: abortReply } },
    },
    failures: [sessionNotFound],
  },
  async ({ env, body, caller }) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const { sessionId } = sent.value;
    if (!isSessionId(sessionId)) return failure(sessionNotFound);
    const aborted = await chatSession(env, sessionId).abort(caller.did);
    return aborted.ok ? reply({ success: aborted.value }) : aborted;
  },
);

const decideApproval = route(
  {
    method: "post",
    path: "/runs/:runId/approvals/:toolCallId",
    id: "decideApproval",
    summary: "Approve or deny a tool call",
    description:
      "Answers a tool call that waits for its user, as the `action_call` frame named `approve_tool` announced. The first answer counts, from any client. Repeating the same answer is not an error.",
    tag,
    auth: signedIn,
    params: approvalParams,
    body: { schema: approvalBody },
    middleware: [countBefore],
    responses: { 200: { description: "The decision was accepted", content: { schema: approvalReply } } },
    failures: [approvalOver],
  },
  async ({ env, params: { runId, toolCallId }, body, caller }) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const session = chatSession(env, sessionOfRun(runId));
    const decided = await session.decideApproval(caller.did, runId, toolCallId, sent.value.approved);
    return decided.ok ? reply(decided.value) : decided;
  },
);

/** `abortRun` before `/messages/:sessionId`, whose pattern its path matches too. */
export const runRoutes = [abortRun, activeRun, resumeRun, decideApproval];
