/**
 * The oracle for other surfaces, without HTTP: the same authentication and the same limits as over HTTP. Questions are runs
 * of one chat session per user, one run per job (docs/decisions/004-phone-questions.md).
 */
import type { RunReply } from "../../durable-objects/chat-session/calls.ts";
import type { RunRequest } from "../../durable-objects/chat-session/run-request.ts";
import type { SessionRecord } from "../../protocol/records.ts";
import { hexOf, sha256 } from "../platform/digest.ts";
import { fail, newFailure, type Failure } from "../platform/failure.ts";
import { createLogger, describeThrown, type Logger, withoutSecretsOf } from "../platform/log.ts";
import type { OracleAnswer, OracleClient, OracleQuestion } from "../platform/ports.ts";
import { failure, success, type Result } from "../platform/result.ts";
import { countRun } from "./daily-limits.ts";
import { rateLimited } from "./http/rate-limit.ts";
import { chatSession, userStore } from "./objects.ts";
import type { OracleRuntime } from "./runtime.ts";

/** Characters of a question: a phone's 120, several times. */
export const QUESTION_LENGTH = 2_000;
/** What a log and an index can hold; the caller chooses the ids of jobs. */
const JOB_ID = /^[\w.-]{1,100}$/;
/**
 * Milliseconds that one request waits for the answer. Each request counts: with 5 s, a question that takes two minutes
 * costs 24 of the 120 a minute, and its answer is returned when it is there, not at the next request.
 */
const ANSWER_WAIT_MS = 5_000;
/** A fixed title, so that no model replaces it. */
const SESSION_TITLE = "Phone questions";
/** A call that fails because its object was lost is repeated once, on the object that replaces it. */
const CALLS = 2;

export interface OracleClientOptions {
  readonly env: Env;
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly answerWaitMs?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly log?: (jobId: string) => Logger;
}

/** The client, and the audience of invocations for it. Fails while the oracle's configuration is invalid. */
export async function openOracleClient(
  options: OracleClientOptions,
): Promise<Result<{ readonly client: OracleClient; readonly audience: string }>> {
  const ready = await options.runtime();
  if (!ready.ok) return ready;
  return success({ client: createOracleClient(options), audience: ready.value.identity.did });
}

/** An authenticated user, and the session of their questions. */
interface User {
  readonly did: string;
  readonly runtime: OracleRuntime;
  readonly sessionId: string;
}

function createOracleClient({
  env,
  runtime,
  answerWaitMs = ANSWER_WAIT_MS,
  clock = () => Date.now(),
  log = (jobId) => createLogger({ surface: "oracle", requestId: jobId }, withoutSecretsOf(env)),
}: OracleClientOptions): OracleClient {
  async function authenticate(jobId: string, invocation: string): Promise<Result<User>> {
    const ready = await runtime();
    if (!ready.ok) return ready;
    // A blank invocation counts as none, as in a header.
    const tokens = invocation.trim() === "" ? {} : { invocation };
    const caller = await ready.value.authenticator.authenticateTokens(tokens, log(jobId));
    if (!caller.ok) return caller;
    const { did } = caller.value;
    return success({ did, runtime: ready.value, sessionId: await phoneSessionId(ready.value.identity.did, did) });
  }

  async function ask(question: OracleQuestion): Promise<Result<{ readonly jobId: string }>> {
    const { jobId, invocation } = question;
    const user = await authenticate(jobId, invocation);
    if (!user.ok) return user;
    const { did, runtime: ready } = user.value;
    // Without an address: a phone's is its telecom gateway's, which many phones share.
    const { rateLimit, run } = await repeated(() => countRun(env, ready.config, did, undefined));
    if (run === undefined) return failure(rateLimited(rateLimit));
    const invalid = invalidQuestion(question);
    if (run.limitReached !== undefined) {
      // A repeated question starts nothing, so that no limit of the day applies to it.
      const isRepeated = invalid === undefined && (await wasAsked(jobId, user.value));
      return isRepeated ? success({ jobId }) : failure(run.limitReached);
    }
    const started = invalid === undefined ? await start(question, user.value, run.runKey) : failure(invalid);
    if (!started.ok || started.value.replayed === true) await run.release();
    return started.ok ? success({ jobId }) : started;
  }

  async function answer(jobId: string, invocation: string): Promise<Result<OracleAnswer>> {
    const user = await authenticate(jobId, invocation);
    if (!user.ok) return user;
    const { did, sessionId, runtime: ready } = user.value;
    const rateLimit = await repeated(() => userStore(env, did).countRequest(ready.config.ORACLE_RATE_LIMIT_PER_MINUTE));
    if (!rateLimit.admitted) return failure(rateLimited(rateLimit));
    const reply = await repeated(() => chatSession(env, sessionId).awaitReply(did, jobId, answerWaitMs));
    // Unknown, another user's, or of a deleted session: all alike.
    if (!reply.ok) return reply.error.code === "not_found" ? fail("not_found", "Job not found") : reply;
    return success(answerOf(reply.value));
  }

  async function start(question: OracleQuestion, user: User, runKey: string): Promise<Result<{ replayed?: true }>> {
    const { did, sessionId } = user;
    const request = runRequestOf(question, runKey);
    const started = await repeated(() => chatSession(env, sessionId).acceptRun(did, request));
    if (started.ok || started.error.code !== "not_found") return started;
    // The object first: a session that only its object knows is invisible, one that only the list knows is broken.
    const record = sessionRecord(user, new Date(clock()).toISOString());
    const created = await repeated(() => chatSession(env, sessionId).create(did, record));
    // Without a limit: its owner did not open the session of phone questions.
    await repeated(() => userStore(env, did).putSession(created));
    return repeated(() => chatSession(env, sessionId).acceptRun(did, request));
  }

  async function wasAsked(jobId: string, { did, sessionId }: User): Promise<boolean> {
    return (await repeated(() => chatSession(env, sessionId).awaitReply(did, jobId, 0))).ok;
  }

  async function guarded<Value>(jobId: string, work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    try {
      return await work();
    } catch (thrown) {
      log(jobId).error("oracle-client-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "The oracle cannot be asked now");
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
  if (status !== "finished") return { state: "failed", reason: reason?.kind ?? status };
  const text = content.trim();
  return text === "" ? { state: "failed", reason: "empty" } : { state: "answered", text };
}

/** Queued: a second phone of the same customer must not end the question of the first. */
function runRequestOf({ jobId, text, answerStyle }: OracleQuestion, runKey: string): RunRequest {
  return {
    runKey,
    clientMessageId: jobId,
    requestId: jobId,
    client: "ussd",
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

function sessionRecord({ sessionId, runtime }: User, now: string): SessionRecord {
  return {
    sessionId,
    title: SESSION_TITLE,
    createdAt: now,
    lastUpdatedAt: now,
    oracleName: runtime.name,
    oracleDid: runtime.identity.did,
    oracleEntityDid: runtime.identity.entityDid,
  };
}

/** Always the same for one user: a UUID v4 in its form, a digest in its content. Only its owner can use it. */
async function phoneSessionId(oracleDid: string, did: string): Promise<string> {
  const text = JSON.stringify(["phone questions", oracleDid, did]);
  const hex = hexOf((await sha256(text)).subarray(0, 16));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...groups, hex.slice(20)].join("-");
}

/** Each call may be made twice with the effect of one, except that the request is then counted twice. */
async function repeated<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let left = CALLS; left > 1; left -= 1) {
    try {
      return await call();
    } catch {
      // The next call uses a fresh stub.
    }
  }
  return call();
}
