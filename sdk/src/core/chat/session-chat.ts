/**
 * The chat of one session, assembled from its parts. While it is retained, it reads the history, joins running turns,
 * sends waiting messages, and listens to the socket and to the page.
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
  /** Reports a user action: a user who declined to sign is asked again. */
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
  /** The chat was retained, or has no holder left. */
  onRetained(isRetained: boolean): void;
}

export interface SessionChat extends Chat {
  /** Stops at once, even if the chat is retained. */
  dispose(): void;
}

/** The time from the first `retain` until after the last release. */
interface Activation {
  readonly signal: AbortSignal;
  readonly socket: SessionSocket | undefined;
  /** Resolves when the state of the session is known. */
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
  let activation: Activation | undefined;
  let cancelStop: (() => void) | undefined;
  let checking: Promise<void> | undefined;
  /** An earlier run to rejoin when the chat is idle. */
  let runToRejoin: ActiveRun | undefined;
  /** The request of the turn that was last looked up, so that its further events cause no lookup. */
  let lastLookup: string | undefined;

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
    socketId: () => activation?.socket?.id(),
    state,
    questions,
    wake(listener) {
      wakeListeners.add(listener);
      return () => void wakeListeners.delete(listener);
    },
    inspect,
    onAccepted(message) {
      void queue.remove(message);
      // A refused socket tries again with the tokens that were accepted.
      activation?.socket?.wake();
    },
  });
  const outbox = createOutbox({
    queue,
    state,
    runner,
    environment,
    callbacks: () => callbacks,
    isOpen: () => activation !== undefined,
    async whenOpened() {
      await activation?.opened;
      return runToRejoin === undefined;
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
    // A queued message must wait until it is known whether the earlier run is still active. Otherwise a released chat
    // could send it too early.
    onAdopted: () => void activation?.opened.then(proceed),
  });

  function transcriptChanged(): void {
    callbacks.onInvalidated?.();
    if (activation === undefined) return;
    void transcript.refresh(activation.signal);
    void adopt(activation.signal).then(proceed);
  }

  /** Looks up the active run once for all callers. */
  function findRun(signal: AbortSignal): Promise<void> {
    const asked = (checking ??= readRun(signal).finally(() => {
      if (checking === asked) checking = undefined;
    }));
    return asked;
  }

  async function readRun(signal: AbortSignal): Promise<void> {
    const { run } = await http.json<{ run: ActiveRun | null }>(`/sessions/${id}/run`, { signal });
    if (signal.aborted || isFollowed(run)) return;
    runToRejoin = run ?? undefined;
    if (run === null && runner.active() === undefined) questions.ended();
  }

  const isFollowed = (run: ActiveRun | null): boolean =>
    run !== null && runner.active()?.local.turn?.runId === run.runId;

  /** Continues: rejoins an earlier run, or else sends waiting messages. */
  function proceed(): void {
    const run = runToRejoin;
    if (activation === undefined || runner.active() !== undefined) return;
    if (run === undefined) return outbox.pump();
    runToRejoin = undefined;
    void follow(run);
  }

  async function follow(run: ActiveRun): Promise<void> {
    const ended = await runner.join(run);
    if (ended !== "done" && ended !== null && !runner.wasStopped()) queue.pause();
    if (ended !== null) transcriptChanged();
    proceed();
  }

  /** Checks whether another page or client has started a turn. */
  async function lookForTurn(signal: AbortSignal): Promise<void> {
    // If the request fails, the next invalidation repeats it.
    await findRun(signal).catch(() => undefined);
    if (!signal.aborted) proceed();
  }

  function woken(): void {
    state.flush();
    activation?.socket?.wake();
    for (const listener of Array.from(wakeListeners)) listener();
    outbox.retry();
    if (activation !== undefined) void adopt(activation.signal);
    if (activation === undefined || runner.active() !== undefined) return;
    void transcript.refresh(activation.signal);
    void lookForTurn(activation.signal);
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
    activation = {
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
    if (activation === undefined) return;
    activation.end();
    activation = undefined;
    runToRejoin = undefined;
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
    if (activation === undefined) start();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holders -= 1;
      // If a component mounts again in the same task, the chat continues.
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
        // Changes between the first page and the first connection were not reported.
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
        // A turn that this page does not follow, because another page or client started it.
        if (request === undefined || runner.active() !== undefined || request === lastLookup) return;
        lastLookup = request;
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
      if (options.isOver()) return Promise.reject(new Error("The user of this chat has signed out."));
      // Without a holder, the chat runs for this message.
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
      return answerQuestion({ http, sessionId, questions, socket: activation?.socket }, question, answer);
    },
    async refetch() {
      if (activation === undefined) return;
      askAgain();
      await transcript.refresh(activation.signal);
      await lookForTurn(activation.signal);
    },
    async loadEarlier() {
      if (activation === undefined) return;
      askAgain();
      await transcript.older(activation.signal);
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
