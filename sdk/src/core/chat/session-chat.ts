/**
 * A chat of one session, put together: it lives while somebody retains it, reads the history, joins what runs, sends what
 * waits, and listens to the socket and to the page.
 */
import type { ActiveRun, Chat, ChatCallbacks } from "../chat.ts";
import type { ClientTools } from "../client-tools.ts";
import type { OracleHttp } from "../http.ts";
import type { InspectedEntry, QueueStore } from "../client-settings.ts";
import type { SessionSocket, SocketHandlers } from "../socket.ts";
import { createAdoption, createQueueOwner, createQueue } from "./queue.ts";
import { answerQuestion, createQuestions } from "./questions.ts";
import { createChatState } from "./chat-state.ts";
import type { Environment } from "../environment.ts";
import { createOutbox } from "./outbox.ts";
import { sessionKey } from "./queue-store.ts";
import { heardEvent } from "./room-events.ts";
import { stopTurn } from "./stop-turn.ts";
import { createTranscript } from "./transcript.ts";
import { createTurnRunner } from "./turn-runner.ts";

export interface SessionChatOptions {
  readonly sessionId: string;
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  /** The user acts: one who declined to sign is asked again. */
  askAgain(): void;
  readonly tools: ClientTools;
  /** Undefined without a socket. */
  readonly openSocket: ((handlers: SocketHandlers) => SessionSocket) | undefined;
  readonly queueStore: QueueStore;
  readonly historyPageSize: number;
  readonly environment: Environment;
  readonly inspect: ((entry: InspectedEntry) => void) | undefined;
  /** The client was disposed of. */
  isOver(): boolean;
  /** It was retained, or nobody retains it any more. */
  onRetained(isRetained: boolean): void;
}

export interface SessionChat extends Chat {
  /** Stops at once, whoever retains it. */
  dispose(): void;
}

/** From the first `retain` to behind the last release. */
interface Life {
  readonly signal: AbortSignal;
  readonly socket: SessionSocket | undefined;
  /** Resolves once it is known what was under way before. */
  readonly opened: Promise<unknown>;
  end(): void;
}

export function createSessionChat(options: SessionChatOptions): SessionChat {
  const { sessionId, oracleDid, userDid, http, askAgain, tools, environment } = options;
  const id = encodeURIComponent(sessionId);
  const state = createChatState(environment);
  const wakeListeners = new Set<() => void>();
  let callbacks: ChatCallbacks = {};
  let holders = 0;
  let life: Life | undefined;
  let cancelStop: (() => void) | undefined;
  let checking: Promise<void> | undefined;
  /** A run of before that is joined as soon as nothing else is under way. */
  let toJoin: ActiveRun | undefined;
  /** The request of the turn that was looked for last, so that its further events ask for nothing. */
  let lookedFor: string | undefined;

  function inspect(entry: Omit<InspectedEntry, "at" | "sessionId">): void {
    options.inspect?.({ ...entry, at: environment.now(), sessionId });
  }

  const questions = createQuestions((open) => state.set({ questions: open }));
  const owner = createQueueOwner(environment);
  const queue = createQueue({
    store: options.queueStore,
    prefix: sessionKey(userDid, oracleDid, sessionId),
    owner,
    now: environment.now,
    onChange: () => outbox.show(),
  });
  const runner = createTurnRunner({
    http,
    sessionId,
    tools,
    socketId: () => life?.socket?.id(),
    state,
    questions,
    wake(listener) {
      wakeListeners.add(listener);
      return () => void wakeListeners.delete(listener);
    },
    inspect,
    onAccepted(message) {
      void queue.remove(message);
      // A socket that was refused tries again with the tokens that were accepted.
      life?.socket?.wake();
    },
  });
  const outbox = createOutbox({
    queue,
    state,
    runner,
    environment,
    callbacks: () => callbacks,
    isOpen: () => life !== undefined,
    async whenOpened() {
      await life?.opened;
      return toJoin === undefined;
    },
    onEnded: transcriptChanged,
    next: proceed,
  });
  const transcript = createTranscript({
    http,
    sessionId,
    pageSize: options.historyPageSize,
    state,
    environment,
    activeTurn: () => runner.active()?.local,
    onReached: (signal) => void lookForTurn(signal),
  });
  const adopt = createAdoption({
    queue,
    owner,
    // What waited behind a run is not taken, and then sent by a chat that was left, before it is known whether that runs still.
    onAdopted: () => void life?.opened.then(proceed),
  });

  function transcriptChanged(): void {
    callbacks.onInvalidated?.();
    if (life === undefined) return;
    void transcript.refresh(life.signal);
    void adopt(life.signal).then(proceed);
  }

  /** Asks once which run is active, however many want to know. */
  function findRun(signal: AbortSignal): Promise<void> {
    const asked = (checking ??= readRun(signal).finally(() => {
      if (checking === asked) checking = undefined;
    }));
    return asked;
  }

  async function readRun(signal: AbortSignal): Promise<void> {
    const { run } = await http.json<{ run: ActiveRun | null }>(`/sessions/${id}/run`, { signal });
    if (signal.aborted || isFollowed(run)) return;
    toJoin = run ?? undefined;
    if (run === null && runner.active() === undefined) questions.ended();
  }

  const isFollowed = (run: ActiveRun | null): boolean =>
    run !== null && runner.active()?.local.turn?.runId === run.runId;

  /** Continues what is under way: a run of before, else what waits. */
  function proceed(): void {
    const run = toJoin;
    if (life === undefined || runner.active() !== undefined) return;
    if (run === undefined) return outbox.pump();
    toJoin = undefined;
    void follow(run);
  }

  async function follow(run: ActiveRun): Promise<void> {
    const ended = await runner.join(run);
    if (ended !== "done" && ended !== null && !runner.wasStopped()) queue.pause();
    if (ended !== null) transcriptChanged();
    proceed();
  }

  /** Looks whether another page or client has a turn under way. */
  async function lookForTurn(signal: AbortSignal): Promise<void> {
    // What cannot be asked now is asked with the next invalidation.
    await findRun(signal).catch(() => undefined);
    if (!signal.aborted) proceed();
  }

  function woken(): void {
    state.flush();
    life?.socket?.wake();
    for (const listener of Array.from(wakeListeners)) listener();
    outbox.retry();
    if (life !== undefined) void adopt(life.signal);
    if (life === undefined || runner.active() !== undefined) return;
    void transcript.refresh(life.signal);
    void lookForTurn(life.signal);
  }

  function start(): void {
    const controller = new AbortController();
    const { signal } = controller;
    runner.stay();
    checking = undefined;
    const socket = options.openSocket?.(socketHandlers(signal));
    const offWake = environment.page.onWake(woken);
    const found = findRun(signal).catch(() => undefined);
    const opened = Promise.all([transcript.first(signal), found, adopt(signal)]);
    life = {
      signal,
      socket,
      opened,
      end() {
        controller.abort();
        offWake();
        socket?.close();
      },
    };
    options.onRetained(true);
    void opened.then(proceed);
  }

  function stop(): void {
    cancelStop?.();
    cancelStop = undefined;
    if (life === undefined) return;
    life.end();
    life = undefined;
    toJoin = undefined;
    outbox.stop();
    runner.leave();
    queue.leave();
    questions.ended();
    state.set({ isRealTimeConnected: false });
    options.onRetained(false);
  }

  function retain(): () => void {
    if (options.isOver()) return () => undefined;
    holders += 1;
    cancelStop?.();
    cancelStop = undefined;
    if (life === undefined) start();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      // A component that is mounted again in the same task continues what is open.
      if (holders === 0) cancelStop = environment.after(0, stop);
    };
  }

  function socketHandlers(signal: AbortSignal): SocketHandlers {
    let isFirst = true;
    return {
      onConnected(isRealTimeConnected) {
        if (signal.aborted) return;
        state.set({ isRealTimeConnected });
        if (!isRealTimeConnected) return;
        questions.reconnected();
        // What changed between the first page and the first connection was said to nobody.
        if (isFirst) void transcript.refresh(signal);
        isFirst = false;
      },
      onInvalidated() {
        if (signal.aborted) return;
        callbacks.onInvalidated?.();
        void transcript.refresh(signal);
        if (runner.active() === undefined) void lookForTurn(signal);
      },
      onEvent(event) {
        if (signal.aborted) return;
        const request = heardEvent(state, event);
        // A turn that this page does not follow: another page or client began it.
        if (request === undefined || runner.active() !== undefined || request === lookedFor) return;
        lookedFor = request;
        void lookForTurn(signal);
      },
      onQuestion(call) {
        const followed = state.turns().find(({ requestId }) => requestId === call.requestId);
        if (!signal.aborted) questions.heard(call, followed?.turn?.runId ?? null);
      },
      onSignIn({ server, url }) {
        // Applications make a link of it, and only these schemes are a page to sign in at.
        if (signal.aborted || !/^https?:\/\//i.test(url)) return;
        const others = state.facts().signIns.filter((signIn) => signIn.server !== server);
        state.set({ signIns: [...others, { server, url }] });
      },
    };
  }

  return {
    sessionId,
    tools,
    view: (viewOptions = {}) => state.view(viewOptions),
    send(message, sendOptions = {}) {
      if (options.isOver()) return Promise.reject(new Error("The user of this chat is no longer signed in."));
      // Without a holder the chat lives for this message.
      const release = holders === 0 ? retain() : undefined;
      askAgain();
      const sent = outbox.send(environment.newId(), message, sendOptions);
      return release === undefined ? sent : sent.finally(release);
    },
    cancelQueued: outbox.cancel,
    resumeQueue(id) {
      askAgain();
      outbox.resume(id);
    },
    async abort() {
      if (options.isOver()) return;
      askAgain();
      await stopTurn({ http, sessionId, runner, queue, state, environment, onIdle: transcriptChanged });
    },
    answerQuestion(question, answer) {
      askAgain();
      return answerQuestion({ http, sessionId, questions, socket: life?.socket }, question, answer);
    },
    async refetch() {
      if (life === undefined) return;
      askAgain();
      await transcript.refresh(life.signal);
      await lookForTurn(life.signal);
    },
    async loadEarlier() {
      if (life === undefined) return;
      askAgain();
      await transcript.older(life.signal);
    },
    setCallbacks(next) {
      callbacks = next;
    },
    retain,
    dispose() {
      stop();
      runner.active()?.controller.abort();
      outbox.settleAll();
    },
  };
}
