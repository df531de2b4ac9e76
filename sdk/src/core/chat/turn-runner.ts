/** The active turn of a chat: sends a message or joins a run, follows its stream, and reports the outcome. */
import { IDLE_RUN_STATE, type ActiveRun, type ChatRunState } from "../chat.ts";
import type { InspectedEntry } from "../client-settings.ts";
import { QUESTIONS, type ClientTools } from "../client-tools.ts";
import { TurnError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import { followRun, type FollowRunOptions, type RunFrame, type RunIdentity, type RunOutcome } from "../run-stream.ts";
import type { SendMessageInput } from "../wire.ts";
import type { ChatState } from "./chat-state.ts";
import type { Questions } from "./questions.ts";
import type { StoredMessage } from "./queue.ts";
import { applyFrame, hasAnswer, startTurn, type LocalTurn, type Turn } from "./turn.ts";

/**
 * The result of sending a message: accepted and ended; not sent, because the user stopped it or another task came
 * first; refused.
 */
export type Delivery =
  | { readonly kind: "ended"; readonly ended: ChatRunState["ended"] }
  | { readonly kind: "cancelled" }
  | { readonly kind: "postponed" }
  | { readonly kind: "refused"; readonly error: unknown };

export interface TurnRunnerOptions {
  readonly http: OracleHttp;
  readonly sessionId: string;
  readonly tools: ClientTools;
  readonly socketId: () => string | undefined;
  readonly state: ChatState;
  readonly questions: Questions;
  readonly wake: FollowRunOptions["wake"];
  readonly inspect: (entry: Omit<InspectedEntry, "at" | "sessionId">) => void;
  /** The oracle has accepted the message. */
  onAccepted(id: string): void;
}

export interface ActiveTurn {
  readonly local: LocalTurn;
  readonly controller: AbortController;
  isAccepted: boolean;
  /** A message that is resent in the background. The queue shows it. */
  isRetry: boolean;
  /** The user stopped the turn. */
  isAborted: boolean;
  /** The chat has stopped. The client leaves the stream as soon as the oracle has accepted the message. */
  isLeaving: boolean;
}

export type TurnRunner = ReturnType<typeof createTurnRunner>;

export function createTurnRunner(options: TurnRunnerOptions) {
  const { http, sessionId, tools, socketId, state, questions, wake, inspect } = options;
  let active: ActiveTurn | undefined;
  let wasStopped = false;

  function begin(local: LocalTurn, change: Partial<ActiveTurn>): ActiveTurn {
    const controller = new AbortController();
    const nothing = { isAccepted: false, isRetry: false, isAborted: false, isLeaving: false };
    active = { local, controller, ...nothing, ...change };
    return active;
  }

  /** Applies the frames of the stream to the turn. */
  function follow(
    turn: ActiveTurn,
    start: FollowRunOptions["start"],
    onAccepted?: (run: RunIdentity) => void,
  ): Promise<RunOutcome> {
    return followRun({
      http,
      start,
      signal: turn.controller.signal,
      wake,
      onAccepted(run: RunIdentity) {
        turn.isAccepted = true;
        inspect({ kind: "run", name: "accepted", detail: run });
        onAccepted?.(run);
        if (turn.isLeaving) turn.controller.abort();
      },
      onFrame: (frame: RunFrame) => onFrame(turn, frame),
      onReconnecting(reconnecting: boolean) {
        if (active !== turn || state.facts().run.reconnecting === reconnecting) return;
        inspect({ kind: "run", name: reconnecting ? "lost" : "joined" });
        state.set({ run: { ...state.facts().run, reconnecting } });
      },
    });
  }

  function onFrame({ local, isAborted }: ActiveTurn, frame: RunFrame): void {
    inspect({ kind: "frame", name: frame.event, detail: frame });
    const before = local.turn;
    if (before === undefined) return;
    const next = applyFrame(before, frame);
    if (next === before) return;
    local.turn = next;
    if (frame.event === "action_call" && QUESTIONS.includes(frame.data.toolName)) {
      if (frame.data.status !== "isRunning") questions.closed(frame.data.toolCallId);
      questions.streamed(next);
    }
    if (next.resumed !== before.resumed) state.set({ run: { ...state.facts().run, resumed: next.resumed } });
    if (frame.event === "done") return;
    state.streamed();
    const isFirst = frame.event !== "run" && state.facts().status === "submitted";
    if (isFirst && !isAborted) state.set({ status: "streaming" });
  }

  /** Sets the run of a turn and merges all known data about it. Other turns of the same run are removed. */
  function adoptRun(local: LocalTurn, run: RunIdentity): void {
    const same = state.turns().filter((other) => other !== local && isOf(other, run));
    local.requestId = run.requestId;
    local.turn = same.find(({ turn }) => turn !== undefined)?.turn ?? local.turn ?? startTurn(run);
    local.human ??= same.find(({ human }) => human !== undefined)?.human;
    local.extras = [...same.flatMap(({ extras }) => extras), ...local.extras];
    for (const other of same) state.removeTurn(other);
    state.turnChanged();
    const { runId, requestId } = run;
    state.set({ run: { ...state.facts().run, runId, requestId, resumed: local.turn.resumed } });
  }

  /** The outcome when the stream is no longer read. */
  function end(turn: ActiveTurn, outcome: RunOutcome): ChatRunState["ended"] {
    if (active === turn) active = undefined;
    const { local, isAborted } = turn;
    wasStopped = isAborted;
    const ended = endOf(outcome, isAborted);
    inspect({ kind: "run", name: ended ?? "left" });
    if (local.requestId !== undefined && outcome.kind !== "left") questions.ended(local.requestId);
    state.turnChanged();
    const failure = ended === "failed" || ended === "interrupted" ? failureOf(local.turn) : undefined;
    state.set({
      status: "ready",
      run: { ...state.facts().run, reconnecting: false, ended },
      ...(failure === undefined ? {} : { error: failure }),
    });
    return ended;
  }

  async function bodyOf(item: StoredMessage): Promise<SendMessageInput> {
    const { tools: browserTools, agActions } = await tools.declarations();
    const { message, model, attachments = [] } = item;
    const socket = socketId();
    return {
      message,
      stream: true,
      // A turn that another page started continues to its end.
      multitask: "enqueue",
      tools: [...browserTools],
      agActions: [...agActions],
      attachments: [...attachments],
      metadata: {
        ...item.metadata,
        clientMessageId: item.id,
        ...(socket === undefined ? {} : { socketId: socket }),
      },
      ...(model === undefined ? {} : { model }),
    };
  }

  return {
    active: (): ActiveTurn | undefined => active,
    /** The user of this page stopped the last turn. */
    wasStopped: (): boolean => wasStopped,

    /**
     * Sends a message and follows its turn. `ready` resolves when the message is stored and earlier turns are known; to
     * false if another task must come first.
     */
    async deliver(item: StoredMessage, ready: () => Promise<boolean>): Promise<Delivery> {
      // A resent message may already be in the transcript. It is shown when the oracle has returned its run.
      const human = item.wasTried ? undefined : humanOf(item);
      const local: LocalTurn = { requestId: undefined, human, turn: undefined, extras: [], isSettled: false };
      const turn = begin(local, { isRetry: item.wasTried });
      state.addTurn(local);
      const submitted = { status: "submitted", error: undefined, run: IDLE_RUN_STATE, signIns: [] } as const;
      if (!item.wasTried) state.set(submitted);

      function takenBack(): void {
        if (active === turn) active = undefined;
        state.removeTurn(local);
        if (!item.wasTried || turn.isAccepted) state.set({ status: "ready" });
      }

      try {
        if (!(await ready())) {
          takenBack();
          return { kind: turn.isAborted ? "cancelled" : "postponed" };
        }
        local.before = state.storedIds();
        const body = await bodyOf(item);
        let isKnown = false;
        const outcome = await follow(turn, { sessionId, body }, (run) => {
          options.onAccepted(item.id);
          isKnown = hasAnswer(state.history().messages, run.runId);
          // The message was answered before a reload, and its answer is shown.
          if (isKnown) return turn.controller.abort();
          local.human ??= humanOf(item);
          if (item.wasTried) state.set(submitted);
          adoptRun(local, run);
        });
        if (isKnown) {
          takenBack();
          return { kind: "ended", ended: "done" };
        }
        if (!turn.isAccepted) {
          takenBack();
          return { kind: turn.isAborted ? "cancelled" : "postponed" };
        }
        return { kind: "ended", ended: end(turn, outcome) };
      } catch (error) {
        if (turn.isAccepted) return { kind: "ended", ended: end(turn, { kind: "lost" }) };
        takenBack();
        if (turn.isAborted) return { kind: "cancelled" };
        return { kind: "refused", error };
      }
    },

    /** Rejoins a run after the last frame read. */
    async join(run: ActiveRun): Promise<ChatRunState["ended"]> {
      const known = state.turns().find((local) => isOf(local, run));
      const local: LocalTurn = known ?? newTurn(run, state.storedIds());
      local.isSettled = false;
      const turn = begin(local, { isAccepted: true });
      if (known === undefined) state.addTurn(local);
      state.set({ status: "streaming", error: undefined, run: { ...IDLE_RUN_STATE } });
      adoptRun(local, run);
      try {
        const start = { runId: run.runId, after: local.turn?.lastId ?? 0 };
        return end(turn, await follow(turn, start));
      } catch (error) {
        const ended = end(turn, { kind: "lost" });
        if (error instanceof Error) state.set({ error });
        return ended;
      }
    },

    /** Leaves the stream, but only after the oracle has accepted the message. */
    leave(): void {
      if (active === undefined) return;
      if (active.isAccepted) active.controller.abort();
      else active.isLeaving = true;
    },

    /** The chat was retained again before its message had arrived. */
    stay(): void {
      if (active !== undefined) active.isLeaving = false;
    },
  };
}

function newTurn(run: RunIdentity, before: ReadonlySet<string>): LocalTurn {
  return { requestId: run.requestId, human: undefined, turn: startTurn(run), extras: [], before, isSettled: false };
}

const isOf = (local: LocalTurn, { runId, requestId }: RunIdentity): boolean =>
  local.turn === undefined ? local.requestId === requestId : local.turn.runId === runId;

function humanOf({ id, message, createdAt, attachments }: StoredMessage): NonNullable<LocalTurn["human"]> {
  return {
    id,
    type: "human",
    kind: "text",
    content: message,
    createdAt,
    isComplete: true,
    ...(attachments === undefined ? {} : { attachments }),
  };
}

const ENDINGS = { finished: "done", aborted: "aborted", failed: "failed", interrupted: "interrupted" } as const;

function endOf(outcome: RunOutcome, isAborted: boolean): ChatRunState["ended"] {
  if (outcome.kind === "done") return ENDINGS[outcome.done.status];
  if (isAborted) return "aborted";
  return outcome.kind === "lost" ? "disconnected" : null;
}

function failureOf(turn: Turn | undefined): Error {
  const notice = turn?.notice;
  return new TurnError(
    notice?.error ?? "The reply was cut off.",
    notice ?? { kind: "unknown", code: "unknown", retryable: true },
  );
}
