/**
 * The oracle for other surfaces, without HTTP but with the authentication and limits of HTTP. Questions are runs of one
 * chat session per user, one run per job (docs/decisions/004-phone-questions.md).
 */
import type { RunReply } from "../../durable-objects/chat-session/calls.ts";
import { fail, newFailure, type Failure } from "../../platform/failure.ts";
import { createLogger, describeThrown, type Logger, withoutSecretsOf } from "../../platform/log.ts";
import type { OracleAnswer, OraclePort, OracleQuestion } from "../../platform/ports.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { acceptOutsideRun, derivedSessionId, repeated, TEXT_CLIENT, type WantedRun } from "./outside-run.ts";
import { rateLimited } from "./http/limits.ts";
import { chatSession, userVault } from "./objects.ts";
import type { OracleRuntime } from "./runtime.ts";

/** Characters of a question: several times a phone's 120. */
export const QUESTION_LENGTH = 2_000;
/** The caller chooses job ids, so they must suit a log and an index. */
const JOB_ID = /^[\w.-]{1,100}$/;
/**
 * Milliseconds that one request waits for the answer. Each request counts: with 5 s, a question that takes two minutes
 * costs 24 of the 120 per minute, and its answer is returned when it arrives, not at the next request.
 */
const ANSWER_WAIT_MS = 5_000;
/** A fixed title, so that no model replaces it. */
const SESSION_TITLE = "Phone questions";

export interface OraclePortOptions {
  readonly env: Env;
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly answerWaitMs?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly log?: (jobId: string) => Logger;
}

/** The client, and the audience of invocations for it. Fails while the oracle's configuration is invalid. */
export async function openOraclePort(
  options: OraclePortOptions,
): Promise<Result<{ readonly client: OraclePort; readonly audience: string }>> {
  const ready = await options.runtime();
  if (!ready.ok) return ready;
  return success({ client: createOraclePort(options), audience: ready.value.identity.did });
}

/** An authenticated user, and the session of their questions. */
interface User {
  readonly did: string;
  readonly runtime: OracleRuntime;
  readonly sessionId: string;
}

function createOraclePort({
  env,
  runtime,
  answerWaitMs = ANSWER_WAIT_MS,
  clock = () => Date.now(),
  log = (jobId) => createLogger({ surface: "oracle", requestId: jobId }, withoutSecretsOf(env)),
}: OraclePortOptions): OraclePort {
  async function authenticate(jobId: string, invocation: string): Promise<Result<User>> {
    const ready = await runtime();
    if (!ready.ok) return ready;
    // A blank invocation counts as missing, as in a header.
    const tokens = invocation.trim() === "" ? {} : { invocation };
    const caller = await ready.value.authenticator.authenticateTokens(tokens, log(jobId));
    if (!caller.ok) return caller;
    const { did } = caller.value;
    return success({
      did,
      runtime: ready.value,
      sessionId: await derivedSessionId(["phone questions", ready.value.identity.did, did]),
    });
  }

  async function ask(question: OracleQuestion): Promise<Result<{ readonly jobId: string }>> {
    const { jobId, invocation } = question;
    const user = await authenticate(jobId, invocation);
    if (!user.ok) return user;
    const { did, sessionId, runtime: ready } = user.value;
    const request = runRequestOf(question);
    const wanted = {
      did,
      sessionId,
      title: SESSION_TITLE,
      request,
      messageLimit: 0,
      invalid: invalidQuestion(question),
    };
    const started = await acceptOutsideRun({ env, runtime: ready, clock }, wanted);
    return started.ok ? success({ jobId }) : started;
  }

  async function answer(jobId: string, invocation: string): Promise<Result<OracleAnswer>> {
    const user = await authenticate(jobId, invocation);
    if (!user.ok) return user;
    const { did, sessionId, runtime: ready } = user.value;
    const rateLimit = await repeated(() => userVault(env, did).countRequest(ready.config.ORACLE_RATE_LIMIT_PER_MINUTE));
    if (!rateLimit.admitted) return failure(rateLimited(rateLimit));
    const reply = await repeated(() => chatSession(env, sessionId).awaitReply(did, jobId, answerWaitMs));
    // Unknown jobs, other users' jobs and those of a deleted session look alike.
    if (!reply.ok) return reply.error.code === "not_found" ? fail("not_found", "Job not found") : reply;
    return success(answerOf(reply.value));
  }

  async function guarded<Value>(jobId: string, work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    try {
      return await work();
    } catch (thrown) {
      log(jobId).error("oracle-client-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "The oracle is unavailable");
    }
  }

  return {
    ask: (question) => guarded(question.jobId, () => ask(question)),
    answer: (jobId, invocation) => guarded(jobId, () => answer(jobId, invocation)),
  };
}

function invalidQuestion({ jobId, text }: OracleQuestion): Failure | undefined {
  if (!JOB_ID.test(jobId)) return newFailure("invalid_request", "jobId must be 1 to 100 letters or digits");
  if (text.trim() !== "" && text.length <= QUESTION_LENGTH) return undefined;
  return newFailure("invalid_request", `text must have 1 to ${QUESTION_LENGTH} characters`);
}

function answerOf({ status, content, failure: reason }: RunReply): OracleAnswer {
  if (status === "queued" || status === "running" || status === "recovering") return { state: "running" };
  if (status !== "finished") {
    // As if it had been refused before it began: the phone has one message for both.
    const isUnpaid = reason?.kind === "budget_exhausted" && reason.limit === "credits";
    return { state: "failed", reason: isUnpaid ? "payment_required" : (reason?.kind ?? status) };
  }
  const text = content.trim();
  return text === "" ? { state: "failed", reason: "empty" } : { state: "answered", text };
}

/** Queued, because a second phone of one customer must not end the question of the first. */
function runRequestOf({ jobId, text, answerStyle, longestAnswer }: OracleQuestion): WantedRun["request"] {
  return {
    clientMessageId: jobId,
    requestId: jobId,
    client: "ussd",
    capabilities: { ...TEXT_CLIENT, ...(longestAnswer === undefined ? {} : { longestAnswer }) },
    endsQuestions: true,
    message: text,
    ...(answerStyle === undefined ? {} : { answerStyle }),
    multitask: "enqueue",
    attachments: [],
    tools: [],
    agActions: [],
    mcpInvocations: {},
    metadata: {},
  };
}
