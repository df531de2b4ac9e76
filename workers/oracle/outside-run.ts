/**
 * A run that does not start with `POST /messages`: from another surface, or from a plugin. It counts against the same
 * limits, in a session that is created if it is missing; a repeated message joins its run and counts once.
 */
import type { ClientCapabilities } from "../../protocol/requests.ts";
import type { RunRequest } from "../../oracle/run-request.ts";
import type { SessionRecord } from "../../protocol/records.ts";
import { hexOf, sha256 } from "../../platform/digest.ts";
import type { Failure } from "../../platform/failure.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { countRun, rateLimited } from "./http/limits.ts";
import type { CountedRun } from "./http/failures.ts";
import { chatSession, userVault } from "./objects.ts";
import type { OracleRuntime } from "./runtime.ts";

/** A call that fails because its object was lost is repeated once, on the object that replaces it. */
const CALLS = 2;

export interface AcceptParts {
  readonly env: Env;
  readonly runtime: OracleRuntime;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface WantedRun {
  /** The user of the run, authenticated. */
  readonly did: string;
  readonly sessionId: string;
  /** The title of a new session. */
  readonly title: string;
  readonly request: Omit<RunRequest, "runKey" | "clientMessageId"> & { readonly clientMessageId: string };
  /** Total number of messages that the session accepts; 0 means no limit. */
  readonly messageLimit: number;
  /** Why it cannot start: such a request still counts as one. */
  readonly invalid?: Failure | undefined;
}

export interface AcceptedRun {
  readonly runId: string;
  /** The message was sent before. */
  readonly repeated: boolean;
}

/** A client that shows only text. */
export const TEXT_CLIENT: ClientCapabilities = { approve: false, openLinks: false, page: false };

/** Throws if an object is unreachable. */
export async function acceptOutsideRun(parts: AcceptParts, wanted: WantedRun): Promise<Result<AcceptedRun>> {
  const { env, runtime } = parts;
  const { did, invalid } = wanted;
  const payer = wanted.request.payer ?? did;
  // Without an address, because many people share the address of a telecom gateway or a chat service.
  const { rateLimit, run } = await repeated(() => countRun(env, runtime.config, payer, undefined));
  if (run === undefined) return failure(rateLimited(rateLimit));
  if (run.limitReached !== undefined) {
    // A repeated message starts nothing, so no limit of the day applies to it.
    const before = invalid === undefined ? await runBefore(env, wanted) : undefined;
    return before === undefined ? failure(run.limitReached) : success(before);
  }
  const started = invalid === undefined ? await start(parts, wanted, run) : failure(invalid);
  if (!started.ok || started.value.repeated) await run.release();
  return started;
}

async function start(
  { env, runtime, clock }: AcceptParts,
  { did, sessionId, title, request, messageLimit }: WantedRun,
  { runKey, revision, grant }: CountedRun,
): Promise<Result<AcceptedRun>> {
  const counted = { ...request, runKey };
  // The revision does not describe plugins' data of another user.
  const known = (request.payer ?? did) === did ? { revision } : {};
  async function accept(): Promise<Result<AcceptedRun>> {
    const unstored = { ...known, grant };
    const accepted = await repeated(() => chatSession(env, sessionId).acceptRun(did, counted, messageLimit, unstored));
    if (!accepted.ok) return accepted;
    const { runId, replayed } = accepted.value;
    return success({ runId, repeated: replayed === true });
  }

  const accepted = await accept();
  if (accepted.ok || accepted.error.code !== "not_found") return accepted;
  // The object first: a session that only its object knows is invisible, one that only the list knows is broken.
  const record = sessionRecord(runtime, { sessionId, title, now: new Date(clock()).toISOString() });
  const created = await repeated(() => chatSession(env, sessionId).create(did, record));
  // Without a limit, because its owner did not open the session.
  await repeated(() => userVault(env, did).putSession(created));
  return accept();
}

async function runBefore(env: Env, { did, sessionId, request }: WantedRun): Promise<AcceptedRun | undefined> {
  const known = await repeated(() => chatSession(env, sessionId).awaitReply(did, request.clientMessageId, 0));
  return known.ok ? { runId: known.value.runId, repeated: true } : undefined;
}

function sessionRecord(
  { name, identity }: OracleRuntime,
  { sessionId, title, now }: { sessionId: string; title: string; now: string },
): SessionRecord {
  return {
    sessionId,
    title,
    createdAt: now,
    lastUpdatedAt: now,
    oracleName: name,
    oracleDid: identity.did,
    oracleEntityDid: identity.entityDid,
  };
}

/** Deterministic for its parts: has the form of a UUID v4 and the content of a digest. Only its owner can use it. */
export async function derivedSessionId(parts: readonly string[]): Promise<string> {
  const hex = hexOf((await sha256(JSON.stringify(parts))).subarray(0, 16));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`];
  return [...groups, hex.slice(20)].join("-");
}

/** A call may be repeated safely, except that the request is then counted twice. */
export async function repeated<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let left = CALLS; left > 1; left -= 1) {
    try {
      return await call();
    } catch {
      // The next call uses a new stub.
    }
  }
  return call();
}
