/**
 * The RPC interface of a chat session: each call is declared and implemented here. Every call names its caller. An
 * unknown session and another user's session return one failure (`Session not found`, `Run not found`).
 */
import type { FinishReason, MessagePage, RunRecord, RunStatus, SessionRecord } from "../../protocol/records.ts";
import { fail, newFailure } from "../../platform/failure.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import type { RunFailure, RunRequest, Unstored } from "../../oracle/run-request.ts";
import { runIdOf } from "../../oracle/runs/run-queue.ts";
import type { Run } from "../../oracle/runs/run-store.ts";
import type { PageRequest, Transcript } from "../../oracle/runs/transcript.ts";
import type { ChatSession } from "./session.ts";

/** How long one call waits for the end of a run, in milliseconds; the caller may call again. */
export const LONGEST_REPLY_WAIT_MS = 10_000;

/** Set if the message was sent before: the run that it started then. */
interface Replay {
  readonly replayed?: true;
}

export interface RunAccepted extends Replay {
  readonly runId: string;
}

export interface RunFollowed {
  readonly requestId: string;
  /** The run's frames as server-sent events. */
  readonly frames: ReadableStream<Uint8Array>;
}

/** The state of a run, ended or not, for a caller that waits for the whole answer. */
export interface RunReply extends RunAccepted {
  readonly status: RunStatus;
  readonly content: string;
  readonly messageId?: string;
  readonly delegationRequired?: true;
  /** Present when `status` is `finished`. */
  readonly finishReason?: FinishReason;
  /** Present when `status` is `failed`. */
  readonly failure?: RunFailure;
}

export type ChatSessionRpc = Pick<ChatSessionCalls, keyof ChatSessionCalls>;

type OpenSession = Extract<ReturnType<ChatSession["enter"]>, { ok: true }>["value"];

interface LookedUp {
  readonly session: OpenSession;
  readonly known: Run | undefined;
}

interface Accepted {
  readonly session: OpenSession;
  readonly run: Run;
  readonly replay: Replay;
}

export class ChatSessionCalls {
  readonly #session: ChatSession;

  constructor(session: ChatSession) {
    this.#session = session;
  }

  /** Creates the session; repeating the call returns the existing record. */
  async create(owner: string, record: SessionRecord): Promise<SessionRecord> {
    const { row } = this.#session;
    const known = row.owner();
    if (known === undefined) row.create(owner, record);
    else if (known !== owner) throw new Error("a session id was created twice");
    return row.record();
  }

  async describe(caller: string): Promise<Result<SessionRecord>> {
    const entered = this.#session.enter(caller);
    return entered.ok ? success(this.#session.row.record()) : entered;
  }

  /** Stops the active run and erases everything. */
  async destroy(caller: string): Promise<Result<null>> {
    const entered = this.#session.enter(caller);
    if (!entered.ok) return entered;
    await this.#session.erase();
    return success(null);
  }

  /**
   * Starts a run and streams its frames from the first one on. `messageLimit` is the total number of messages that the
   * session accepts; 0 means no limit.
   */
  async startRun(
    caller: string,
    request: RunRequest,
    messageLimit = 0,
    unstored: Unstored = {},
  ): Promise<Result<RunAccepted & RunFollowed>> {
    const accepted = await this.#accept(caller, request, messageLimit, unstored);
    if (!accepted.ok) return accepted;
    const { run, session, replay } = accepted.value;
    if (run.pruned) return failure(answeredLongAgo);
    const { runId, requestId, ordinal } = run;
    return success({ runId, requestId, frames: session.runLog.follow(ordinal, 0), ...replay });
  }

  /** Starts a run and waits for its end; a caller that disconnects does not stop it. */
  async completeRun(
    caller: string,
    request: RunRequest,
    messageLimit = 0,
    unstored: Unstored = {},
  ): Promise<Result<RunReply>> {
    const accepted = await this.#accept(caller, request, messageLimit, unstored);
    if (!accepted.ok) return accepted;
    const { run, session, replay } = accepted.value;
    if (run.pruned) return failure(answeredLongAgo);
    const ended = await session.queue.whenEnded(run.ordinal);
    await session.afterRun.indexed();
    if (ended !== undefined && this.#session.owner() === caller)
      return success({ ...replyOf({ ...run, ...ended }, ended.content), ...replay });
    const found = this.#find(caller, run.runId);
    if (!found.ok) return fail("not_found", "Session not found");
    return success({ ...storedReply(found.value.run, session.transcript), ...replay });
  }

  /** Starts a run unless this `clientMessageId` has already started one here; does not wait. */
  async acceptRun(
    caller: string,
    request: RunRequest,
    messageLimit = 0,
    unstored: Unstored = {},
  ): Promise<Result<RunAccepted>> {
    const accepted = await this.#accept(caller, request, messageLimit, unstored);
    return accepted.ok ? success({ runId: accepted.value.run.runId, ...accepted.value.replay }) : accepted;
  }

  /** Whether a message with that id was ever accepted, so that sending it again starts nothing. */
  async hasMessage(caller: string, clientMessageId: string): Promise<Result<boolean>> {
    const entered = this.#session.enter(caller);
    return entered.ok ? success(entered.value.runs.byClientMessageId(clientMessageId) !== undefined) : entered;
  }

  /** The state of that message's run, once it has ended or after `withinMs`, at most 10 s. The run may be pruned. */
  async awaitReply(caller: string, clientMessageId: string, withinMs: number): Promise<Result<RunReply>> {
    const entered = this.#session.enter(caller);
    const run = entered.ok ? entered.value.runs.byClientMessageId(clientMessageId) : undefined;
    if (!entered.ok || run === undefined) return runNotFound;
    const { queue, runs, transcript } = entered.value;
    await new Promise<void>((resolve) => {
      const cancel = this.#session.after(Math.min(withinMs, LONGEST_REPLY_WAIT_MS), resolve);
      void queue.whenEnded(run.ordinal).then(cancel).then(resolve);
    });
    if (this.#session.owner() !== caller) return runNotFound;
    return success(storedReply(runs.byId(run.runId) ?? run, transcript));
  }

  /** Frames with an id above `after`, then live frames, then `done`. */
  async followRun(caller: string, runId: string, after: number): Promise<Result<RunFollowed>> {
    const found = this.#find(caller, runId);
    if (!found.ok) return found;
    const { run, session } = found.value;
    return success({ requestId: run.requestId, frames: session.runLog.follow(run.ordinal, after) });
  }

  async activeRun(caller: string): Promise<Result<RunRecord | null>> {
    const entered = this.#session.enter(caller);
    if (!entered.ok) return entered;
    const { runs, frames } = entered.value;
    // The running run is always the oldest: queued runs follow it.
    const run = runs.active()[0];
    if (run === undefined) return success(null);
    return success({
      runId: run.runId,
      sessionId: this.#session.id(),
      requestId: run.requestId,
      client: run.client,
      status: run.status,
      startedAt: new Date(run.startedAt).toISOString(),
      updatedAt: new Date(run.updatedAt).toISOString(),
      lastSeq: frames.last(run.ordinal)?.seq ?? 0,
    });
  }

  /** Ends the active and the queued runs; returns whether there were any. */
  async abort(caller: string): Promise<Result<boolean>> {
    const entered = this.#session.enter(caller);
    return entered.ok ? success(entered.value.queue.abort()) : entered;
  }

  /** The user's decision about a call that waits for it: the first decision counts, and repeating it is accepted. */
  async decideApproval(
    caller: string,
    runId: string,
    callId: string,
    approved: boolean,
  ): Promise<Result<{ readonly approved: boolean }>> {
    const found = this.#find(caller, runId);
    if (!found.ok) return found;
    const decision = this.#session.decide(found.value.run.ordinal, callId, approved);
    if (decision === "unknown") return failure(approvalNotFound);
    return decision === "other" ? failure(approvalOver) : success({ approved });
  }

  async messagePage(caller: string, page: PageRequest): Promise<Result<MessagePage>> {
    const entered = this.#session.enter(caller);
    return entered.ok ? entered.value.transcript.page(page) : entered;
  }

  /**
   * Disconnects a socket of the caller that is above the limit; ignores a socket that is gone or belongs to another
   * user.
   */
  async dismissSocket(caller: string, socketId: string): Promise<void> {
    this.#session.sockets.dismiss(caller, socketId);
  }

  async #accept(
    caller: string,
    asked: RunRequest,
    messageLimit: number,
    unstored: Unstored = {},
  ): Promise<Result<Accepted>> {
    const before = this.#lookUp(caller, asked);
    if (!before.ok) return before;
    const { queue, facts } = before.value.session;
    // Before the gates are asked: plugins know the run by its id.
    const request = { ...asked, runKey: asked.runKey ?? this.#session.newId() };
    const ask = (): ReturnType<ChatSession["admit"]> => this.#session.admit(request, before.value.session, unstored);
    const admission = before.value.known === undefined ? queue.admit(request, messageLimit, ask) : undefined;
    const { reports } = this.#session;
    try {
      if (admission !== undefined) {
        const admitted = await admission;
        if (!admitted.ok) return admitted;
      }
      return this.#start(caller, asked, request, messageLimit, unstored);
    } finally {
      reports.refused(runIdOf(facts.sessionId, request));
    }
  }

  #start(
    caller: string,
    asked: RunRequest,
    request: RunRequest & { readonly runKey: string },
    messageLimit: number,
    unstored: Unstored,
  ): Result<Accepted> {
    // No await from here on: if two requests arrive at once, the second finds the run of the first.
    const entered = this.#lookUp(caller, request);
    if (!entered.ok) return entered;
    const { session, known } = entered.value;
    if (known !== undefined) {
      return success({ session, run: known, replay: replayOf(known, asked) });
    }
    const accepted = session.queue.accept(request, messageLimit, unstored);
    if (!accepted.ok) return accepted;
    const { requestId, metadata } = request;
    session.afterRun.accepted(requestId);
    session.announceRun({ sessionId: session.facts.sessionId, requestId, metadata });
    return success({ session, run: accepted.value, replay: {} });
  }

  /** The session, and the run that this message has already started, if any. */
  #lookUp(caller: string, { clientMessageId }: RunRequest): Result<LookedUp> {
    const entered = this.#session.enter(caller);
    if (!entered.ok) return entered;
    const { runs } = entered.value;
    const known = clientMessageId === undefined ? undefined : runs.byClientMessageId(clientMessageId);
    return success({ session: entered.value, known });
  }

  #find(caller: string, runId: string): Result<{ readonly session: OpenSession; readonly run: Run }> {
    const entered = this.#session.enter(caller);
    const run = entered.ok ? entered.value.runs.byId(runId) : undefined;
    if (!entered.ok || run === undefined || run.pruned) return runNotFound;
    return success({ session: entered.value, run });
  }
}

function replyOf(run: Run, content: string): RunReply {
  return {
    runId: run.runId,
    status: run.status,
    content,
    ...(run.messageId === null ? {} : { messageId: run.messageId }),
    ...(run.delegationRequired ? { delegationRequired: true } : {}),
    ...(run.finishReason === null ? {} : { finishReason: run.finishReason }),
    ...(run.failure === null ? {} : { failure: run.failure }),
  };
}

function storedReply(run: Run, transcript: Transcript): RunReply {
  return replyOf(run, (run.messageId === null ? undefined : transcript.aiOf(run.ordinal))?.content ?? "");
}

/** A caller whose response was lost may repeat the call for the run that it counted; that is not a replay. */
function replayOf({ runId }: Run, { runKey }: RunRequest): Replay {
  return runKey !== undefined && runId.endsWith(`.${runKey}`) ? {} : { replayed: true };
}

const approvalNotFound = newFailure("not_found", "Approval not found");

const approvalOver = newFailure(
  "conflict",
  "This call is no longer waiting for an approval: it was already answered, or it has expired.",
  { reason: "approval_over", retryable: false },
);

const runNotFound = fail("not_found", "Run not found");

const answeredLongAgo = newFailure(
  "conflict",
  "This message was already sent and answered. Read the answer in the session's messages.",
  { reason: "message_already_answered", retryable: false },
);

/**
 * Makes an object class expose these calls through its binding. Only methods of a class's prototype are reachable over
 * RPC, so each call becomes a method that forwards to the object's own ChatSessionCalls.
 */
export function offerCalls<Target extends object>(
  target: { readonly prototype: Target },
  callsOf: (object: Target) => ChatSessionCalls,
): void {
  for (const name of Object.getOwnPropertyNames(ChatSessionCalls.prototype)) {
    if (name === "constructor") continue;
    Object.defineProperty(target.prototype, name, {
      // Configurable like a method of a class, so that platform/database/object-connections.ts can replace it.
      configurable: true,
      value(this: Target, ...parameters: readonly unknown[]): unknown {
        const calls = callsOf(this);
        const call = Reflect.get(calls, name) as (...given: readonly unknown[]) => unknown;
        return Reflect.apply(call, calls, parameters);
      },
    });
  }
}

/** The binding with our own type: its generated type would expand the calls' JSON types without end. */
export function sessionByName(binding: unknown, name: string): ChatSessionRpc {
  return (binding as { getByName(name: string): ChatSessionRpc }).getByName(name);
}
