/** The state of one chat and its views. Changed parts are rebuilt only when a view shows them. */
import { IDLE_RUN_STATE, type ChatMessage, type ChatSnapshot, type ChatView, type ViewOptions } from "../chat.ts";
import type { Environment } from "../environment.ts";
import { errorOf } from "../errors.ts";
import { NO_HISTORY, type History } from "./history.ts";
import { arrange, isOver, plan, type LocalTurn, type Plan, type Shown } from "./turn.ts";

export type ChatFacts = Omit<ChatSnapshot, "messages" | "hasEarlier">;

export type ChatState = ReturnType<typeof createChatState>;

export function createChatState(environment: Environment) {
  let facts: ChatFacts = {
    status: "ready",
    error: undefined,
    run: IDLE_RUN_STATE,
    queue: [],
    questions: [],
    signIns: [],
    isRealTimeConnected: false,
    // True until the first page is loaded, even before a component retains the chat, so that the first render shows a
    // loading state.
    isLoading: true,
    isLoadingEarlier: false,
  };
  /** Why the transcript could not be read. It is shown while the turn has no error. */
  let readError: Error | undefined;
  let history: History = NO_HISTORY;
  let turns: readonly LocalTurn[] = [];
  let planned: Plan | undefined;
  let shown: Shown | undefined;
  let moment: ChatMoment | undefined;
  const views = new Set<ManagedView>();

  function latest(): ChatMoment {
    planned ??= plan(history.messages, turns);
    shown ??= arrange(planned);
    const { messages } = shown;
    const error = facts.error ?? readError;
    moment ??= { shown, snapshot: { ...facts, error, messages, hasEarlier: history.hasOlder } };
    return moment;
  }

  function tell(how: "flush" | "streamed"): void {
    moment = undefined;
    for (const view of Array.from(views)) view[how]();
  }

  function rearranged(): void {
    planned = undefined;
    shown = undefined;
    tell("flush");
  }

  const state = {
    latest,
    history: (): History => history,
    turns: (): readonly LocalTurn[] => turns,
    facts: (): ChatFacts => facts,

    /** Updates the views at once if a value changed. */
    set(change: Partial<ChatFacts>): void {
      const names = Object.keys(change) as (keyof ChatFacts)[];
      if (names.every((name) => facts[name] === change[name])) return;
      facts = { ...facts, ...change };
      tell("flush");
    },

    failed(error: unknown): void {
      state.set({ error: errorOf(error) });
    },

    /** Stores why the transcript could not be read; undefined after a successful read. */
    notRead(error: unknown): void {
      const next = error === undefined ? undefined : errorOf(error);
      if (next === readError) return;
      readError = next;
      tell("flush");
    },

    setHistory(next: History): void {
      if (next === history) return;
      history = next;
      rearranged();
    },

    addTurn(turn: LocalTurn): void {
      turns = [...turns, turn];
      rearranged();
    },

    removeTurn(turn: LocalTurn): void {
      turns = turns.filter((other) => other !== turn);
      rearranged();
    },

    /** A turn was accepted, joined or ended, or its socket events changed. */
    turnChanged: rearranged,

    /** Only the messages of the turn changed. */
    streamed(): void {
      shown = undefined;
      tell("streamed");
    },

    /** Removes turns that have nothing left to show. */
    tidy(isActive: (turn: LocalTurn) => boolean): void {
      const left = turns.filter((turn) => isActive(turn) || !isOver(turn, history.messages));
      if (left.length === turns.length) return;
      turns = left;
      rearranged();
    },

    /** The ids of the currently stored messages. */
    storedIds: (): ReadonlySet<string> => new Set(history.messages.map(({ id }) => id)),

    view(options: ViewOptions): ManagedView {
      const view = createView(latest, options, environment, (isListening) => {
        if (isListening) views.add(view);
        else views.delete(view);
      });
      return view;
    },

    /** Makes all views show pending changes. */
    flush(): void {
      for (const view of Array.from(views)) view.flush();
    },
  };
  return state;
}

/** The state of the chat at one moment; the same object until it changes. */
interface ChatMoment {
  readonly snapshot: ChatSnapshot;
  readonly shown: Shown;
}

/**
 * A subscription to a chat. While a component listens, the snapshot changes exactly when the listeners are called, so a
 * component that renders in between renders the same state.
 */
interface ManagedView extends ChatView {
  streamed(): void;
  flush(): void;
}

interface Watched {
  message: ChatMessage | undefined;
  readonly listeners: Set<() => void>;
}

function createView(
  latest: () => ChatMoment,
  options: ViewOptions,
  environment: Environment,
  /** Called when the first listener subscribes and when the last one unsubscribes. */
  onListening: (isListening: boolean) => void,
): ManagedView {
  const listeners = new Set<() => void>();
  const watched = new Map<string, Watched>();
  let published: ChatMoment | undefined;
  let index: { readonly of: readonly ChatMessage[]; readonly byId: ReadonlyMap<string, ChatMessage> } | undefined;
  const pacer = createPacer(options, environment, publish);

  const isListening = (): boolean => listeners.size > 0 || watched.size > 0;
  const current = (): ChatMoment => (isListening() && published !== undefined ? published : latest());

  function publish(): void {
    const next = latest();
    const before = published;
    published = next;
    if (next === before) return;
    for (const listener of Array.from(listeners)) listener();
    for (const id of changedIds(before?.shown, next.shown)) {
      const entry = watched.get(id);
      const message = entry === undefined ? undefined : find(next, id);
      if (entry === undefined || entry.message === message) continue;
      entry.message = message;
      for (const listener of Array.from(entry.listeners)) listener();
    }
  }

  /** The messages that may have changed. During a stream, these are only the messages of its turn. */
  function changedIds(before: Shown | undefined, next: Shown): Iterable<string> {
    if (before?.stored !== next.stored) return [...watched.keys()];
    return new Set([...before.local, ...next.local].map(({ id }) => id));
  }

  function find({ shown }: ChatMoment, id: string): ChatMessage | undefined {
    const local = shown.local.find((message) => message.id === id);
    if (local !== undefined) return local;
    if (index?.of !== shown.stored) {
      index = { of: shown.stored, byId: new Map(shown.stored.map((message) => [message.id, message])) };
    }
    return index.byId.get(id);
  }

  function starting(): void {
    if (isListening()) return;
    published = latest();
    onListening(true);
  }

  function ending(): void {
    if (isListening()) return;
    pacer.stop();
    published = undefined;
    onListening(false);
  }

  return {
    streamed: pacer.streamed,
    flush: pacer.flush,
    getSnapshot: () => current().snapshot,
    getMessage: (id) => find(current(), id),
    subscribe(listener) {
      starting();
      // Wrapped, because the same function may subscribe twice.
      const own = (): void => listener();
      listeners.add(own);
      return () => {
        if (listeners.delete(own)) ending();
      };
    },
    subscribeToMessage(id, listener) {
      starting();
      const entry = watched.get(id) ?? { message: find(current(), id), listeners: new Set() };
      watched.set(id, entry);
      const own = (): void => listener();
      entry.listeners.add(own);
      return () => {
        if (!entry.listeners.delete(own)) return;
        if (entry.listeners.size === 0) watched.delete(id);
        ending();
      };
    },
  };
}

/** Milliseconds between two updates in the mode `throttled`, and in a page without a display: 20 a second. */
const THROTTLE_MS = 50;

/**
 * Decides when a view shows a change. It shows a change of the state at once, and changes of a stream at the rate of
 * the mode. A hidden page has no animation frames and slow timers, so there the clock decides when the next chunk
 * arrives.
 */
interface Pacer {
  /** The stream changed. */
  streamed(): void;
  /** Publishes at once, including pending changes. */
  flush(): void;
  /** Discards pending changes. */
  stop(): void;
}

function createPacer(
  { mode = "batched", throttleMs = THROTTLE_MS }: ViewOptions,
  { now, after, frame, page }: Pick<Environment, "now" | "after" | "frame" | "page">,
  publish: () => void,
): Pacer {
  let cancel: (() => void) | undefined;
  let publishedAt = -Infinity;

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  function flush(): void {
    stop();
    publishedAt = now();
    publish();
  }

  function throttled(milliseconds: number): void {
    const left = publishedAt + milliseconds - now();
    if (left <= 0) flush();
    else cancel ??= after(left, flush);
  }

  function streamed(): void {
    if (mode === "immediate") flush();
    else if (mode === "throttled") throttled(throttleMs);
    else if (frame !== undefined && !page.isHidden()) cancel ??= frame(flush);
    else throttled(THROTTLE_MS);
  }

  return { streamed, flush, stop };
}
