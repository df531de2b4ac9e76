/**
 * The oracle as other surfaces ask it (decisions 2.2, 2.4): a caller shows who he is by the invocation that an HTTP caller
 * would show, and is counted as one. Questions are turns of one chat session per asker, one turn per job
 * (docs/decisions/004-oracle-desk.md). What a turn does is the session's matter.
 */
import type { RunReply } from "../../durable-objects/chat-session/calls.ts";
import type { RunRequest } from "../../durable-objects/chat-session/run-request.ts";
import type { SessionRecord } from "../../protocol/records.ts";
import { hexOf, sha256 } from "../platform/digest.ts";
import { fail, newFailure, type Failure } from "../platform/failure.ts";
import { createLogger, describeThrown, type Logger } from "../platform/log.ts";
import type { OracleAnswer, OracleDesk, OracleQuestion } from "../platform/ports.ts";
import { failure, success, type Result } from "../platform/result.ts";
import type { OracleRuntime } from "./runtime.ts";
import { rateLimited } from "./http/rate-limit.ts";
import { chatSession, userStore } from "./objects.ts";
import { countRun as countedRun } from "./daily-limits.ts";

/** Characters of a question: a phone's 120, several times. */
export const QUESTION_LENGTH = 2_000;
/** What a log and an index can hold; ids of jobs are the asker's. */
const JOB_ID = /^[\w.-]{1,100}$/;
/**
 * Milliseconds that one look waits for the answer. Each look is a request that counts: with 5 s a question that takes
 * two minutes costs 24 of the 120 a minute, and its answer is told when it is there, not at the next look.
 */
const ANSWER_WAIT_MS = 5_000;
/** So that it is never given another by a model. */
const SESSION_TITLE = "Phone questions";
/** Calls of an object that was lost in their midst are made once more, to the object that took its place. */
const CALLS = 2;

export interface OracleDeskParts {
  readonly env: Env;
  readonly runtime: () => Promise<Result<OracleRuntime>>;
  readonly answerWaitMs?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly log?: (jobId: string) => Logger;
}

/** The desk, and whom invocations for it are addressed to. A fault while the oracle's configuration is wrong. */
export async function openOracleDesk(
  parts: OracleDeskParts,
): Promise<Result<{ readonly desk: OracleDesk; readonly audience: string }>> {
  const ready = await parts.runtime();
  if (!ready.ok) return ready;
  return success({ desk: createOracleDesk(parts), audience: ready.value.identity.did });
}

function createOracleDesk({
  env,
  runtime,
  answerWaitMs = ANSWER_WAIT_MS,
  clock = () => Date.now(),
  log = (jobId) => createLogger({ surface: "oracle", requestId: jobId }),
}: OracleDeskParts): OracleDesk {
  async function identify(jobId: string, invocation: string): Promise<Result<Asker>> {
    const ready = await runtime();
    if (!ready.ok) return ready;
    // Blank is none, as in a header.
    const tokens = invocation.trim() === "" ? {} : { invocation };
    const caller = await ready.value.authenticator.authenticateTokens(tokens, log(jobId));
    if (!caller.ok) return caller;
    const { did } = caller.value;
    return success({ did, runtime: ready.value, sessionId: await phoneSessionId(ready.value.identity.did, did) });
  }

  /** Who asks, counted as one request: the order of the HTTP routes. */
  async function admit(jobId: string, invocation: string): Promise<Result<Asker>> {
    const asker = await identify(jobId, invocation);
    if (!asker.ok) return asker;
    const { did, runtime: ready } = asker.value;
    const admission = await again(() => userStore(env, did).countRequest(ready.config.ORACLE_RATE_LIMIT_PER_MINUTE));
    return admission.admitted ? asker : failure(rateLimited(admission));
  }

  /** The same for a request that starts a turn, which counts against the limits of the day. */
  async function countRun(jobId: string, invocation: string) {
    const asker = await identify(jobId, invocation);
    if (!asker.ok) return asker;
    const { did, runtime: ready } = asker.value;
    // The phone's address is its gateway's, which many phones share.
    const { rateLimit, run } = await again(() => countedRun(env, ready.config, did, undefined));
    return run === undefined ? failure(rateLimited(rateLimit)) : success({ asker: asker.value, counted: run });
  }

  async function start(question: OracleQuestion, asker: Asker, runKey: string): Promise<Result<{ replayed?: true }>> {
    const { did, sessionId } = asker;
    const turn = turnOf(question, runKey);
    const started = await again(() => chatSession(env, sessionId).acceptRun(did, turn));
    if (started.ok || started.error.code !== "not_found") return started;
    // The object first: a session that only its object knows is invisible, one that only the index knows is broken.
    const record = sessionRecord(asker, new Date(clock()).toISOString());
    const created = await again(() => chatSession(env, sessionId).create(did, record));
    // Without a limit: the one session of questions by phone is not one that its owner opened.
    await again(() => userStore(env, did).putSession(created));
    return again(() => chatSession(env, sessionId).acceptRun(did, turn));
  }

  async function wasAsked(jobId: string, { did, sessionId }: Asker): Promise<boolean> {
    return (await again(() => chatSession(env, sessionId).awaitReply(did, jobId, 0))).ok;
  }

  async function guarded<Value>(jobId: string, work: () => Promise<Result<Value>>): Promise<Result<Value>> {
    try {
      return await work();
    } catch (thrown) {
      log(jobId).error("desk-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "The oracle cannot be asked now");
    }
  }

  return {
    ask: (question) =>
      guarded(question.jobId, async () => {
        const { jobId, invocation } = question;
        const admitted = await countRun(jobId, invocation);
        if (!admitted.ok) return admitted;
        const { asker, counted } = admitted.value;
        const flaw = flawOf(question);
        if (counted.limitReached !== undefined) {
          // Asked again, it starts nothing, so that no limit of the day refuses it.
          const known = flaw === undefined && (await wasAsked(jobId, asker));
          return known ? success({ jobId }) : failure(counted.limitReached);
        }
        const started = flaw === undefined ? await start(question, asker, counted.runKey) : failure(flaw);
        if (!started.ok || started.value.replayed === true) await counted.release();
        return started.ok ? success({ jobId }) : started;
      }),
    answer: (jobId, invocation) =>
      guarded(jobId, async () => {
        const admitted = await admit(jobId, invocation);
        if (!admitted.ok) return admitted;
        const { did, sessionId } = admitted.value;
        const reply = await again(() => chatSession(env, sessionId).awaitReply(did, jobId, answerWaitMs));
        // Unknown, another's, or of a session that is gone: all alike.
        if (!reply.ok) return reply.error.code === "not_found" ? fail("not_found", "Job not found") : reply;
        return success(answerOf(reply.value));
      }),
  };
}

function flawOf({ jobId, text }: OracleQuestion): Failure | undefined {
  if (!JOB_ID.test(jobId)) return newFailure("invalid_request", "jobId must be 1 to 100 letters or digits");
  if (text.trim() !== "" && text.length <= QUESTION_LENGTH) return undefined;
  return newFailure("invalid_request", `text must have 1 to ${QUESTION_LENGTH} characters`);
}

interface Asker {
  readonly did: string;
  readonly runtime: OracleRuntime;
  readonly sessionId: string;
}

function answerOf({ status, content, failure: reason }: RunReply): OracleAnswer {
  if (status === "queued" || status === "running" || status === "recovering") return { state: "running" };
  if (status !== "finished") return { state: "failed", reason: reason?.kind ?? status };
  const text = content.trim();
  return text === "" ? { state: "failed", reason: "empty" } : { state: "answered", text };
}

/** Queued, since a second phone of the same customer must not end the question of the first. */
function turnOf({ jobId, text, answerStyle }: OracleQuestion, runKey: string): RunRequest {
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

function sessionRecord({ sessionId, runtime }: Asker, now: string): SessionRecord {
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

/** Always the same for the same asker: a UUID v4 by its form, by its content a digest. The owner alone can use it. */
async function phoneSessionId(oracleDid: string, did: string): Promise<string> {
  const text = JSON.stringify(["phone questions", oracleDid, did]);
  const hex = hexOf((await sha256(text)).subarray(0, 16));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20)].join("-");
}

/** Every call here may be made twice with the effect of one; that a request is then counted twice harms nobody. */
async function again<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let left = CALLS; left > 1; left -= 1) {
    try {
      return await call();
    } catch {
      // The next one goes to a fresh stub.
    }
  }
  return call();
}
