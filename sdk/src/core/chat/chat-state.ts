/** The state of one chat and its views: what changed is built again only when a view shows it. */
import type { ChatSnapshot, ViewOptions } from "../chat.ts";
import { errorOf } from "../errors.ts";
import { arrange, isOver, plan, type LocalTurn, type Plan, type Shown } from "./conversation.ts";
import type { Environment } from "./environment.ts";
import { NO_HISTORY, type History } from "./history.ts";
import { createView, type ChatMoment, type ManagedView } from "./view.ts";

export type ChatFacts = Omit<ChatSnapshot, "messages" | "hasEarlier">;

/** A chat without a turn so far. */
export const IDLE_RUN: ChatSnapshot["run"] = {
  runId: null,
  requestId: null,
  reconnecting: false,
  resumed: 0,
  ended: null,
};

export type ChatState = ReturnType<typeof createChatState>;

export function createChatState(environment: Environment) {
  let facts: ChatFacts = {
    status: "ready",
    error: undefined,
    run: IDLE_RUN,
    queue: [],
    questions: [],
    signIns: [],
    isRealTimeConnected: false,
    // Until the first page is there, also before anybody retains the chat: what is drawn first says so.
    isLoading: true,
    isLoadingEarlier: false,
  };
  /** Why the transcript could not be read; shown while the turn has no error of its own. */
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

    /** Shown at once, if anything is different. */
    set(change: Partial<ChatFacts>): void {
      const names = Object.keys(change) as (keyof ChatFacts)[];
      if (names.every((name) => facts[name] === change[name])) return;
      facts = { ...facts, ...change };
      tell("flush");
    },

    failed(error: unknown): void {
      state.set({ error: errorOf(error) });
    },

    /** Why the transcript could not be read; undefined: it could. */
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

    /** A turn was taken, joined, has ended, or heard something. */
    turnChanged: rearranged,

    /** The messages of a turn changed, and nothing else of it. */
    streamed(): void {
      shown = undefined;
      tell("streamed");
    },

    /** Forgets turns of which nothing is left to show. */
    tidy(isActive: (turn: LocalTurn) => boolean): void {
      const left = turns.filter((turn) => isActive(turn) || !isOver(turn, history.messages));
      if (left.length === turns.length) return;
      turns = left;
      rearranged();
    },

    /** The ids of what is stored now. */
    storedIds: (): ReadonlySet<string> => new Set(history.messages.map(({ id }) => id)),

    view(options: ViewOptions): ManagedView {
      const view = createView(latest, options, environment, (isListening) => {
        if (isListening) views.add(view);
        else views.delete(view);
      });
      return view;
    },

    /** Has all views show what waits. */
    flush(): void {
      for (const view of Array.from(views)) view.flush();
    },
  };
  return state;
}
