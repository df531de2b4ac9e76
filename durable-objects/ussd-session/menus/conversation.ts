/**
 * The menus of one phone: applies the typed text, waits for effects within the budget, and returns the reply and the
 * state to store. It stores nothing itself.
 */
import { createActor, type AnyActorRef, type Snapshot } from "xstate";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import { NOTHING_SAVED, type PhoneReply, UNAVAILABLE } from "../../../platform/phone-reply.ts";
import { MAX_SEGMENTS, takeSegment, type TextInput } from "../input/text-meaning.ts";
import { EXIT_KEY, mayHoldStars, readInput } from "../input/typed-input.ts";
import type { Login } from "../ports.ts";
import type { Draft } from "../rpc.ts";
import { render } from "../screen/render.ts";
import { sanitise, type ScreenLimit } from "../texts/characters.ts";
import { dictionaryOf, type Language, type Message } from "../texts/dictionary.ts";
import { creationDraft } from "./account-creation.ts";
import { createAnswerWatch } from "./answer-watch.ts";
import { questionDraft } from "./ask-oracle.ts";
import {
  createScreenView,
  masked,
  positionIn,
  type Position,
  type ScreenView,
  type Shown,
  type TurnedPages,
} from "./current-screen.ts";
import { createEffects, type EffectPorts, NothingSaved } from "./effects.ts";
import { createFaultInspector } from "./fault-inspector.ts";
import type { ScreenSettings } from "./menu.ts";
import { createRootMachine, goodbyeScreen, MACHINE_VERSION } from "./root-menu.ts";
import type { RootContext, RootEvent, RootInput } from "./root-setup.ts";
import { SERVICE_STATES } from "./services-menu.ts";

export interface MenuSettings extends Pick<ScreenSettings, "supportPhone"> {
  readonly limit: ScreenLimit;
  readonly answerPages: number;
  /** Milliseconds that a reply can wait for an effect, and for the oracle. */
  readonly replyBudgetMs: number;
  readonly oracleBudgetMs: number;
  readonly log: Logger;
}

/** The menus after the last reply. */
export interface StoredMachine {
  readonly version: number;
  readonly snapshot: unknown;
  readonly pages: TurnedPages;
}

/** The reply and the state to store after a step. */
export interface StepResult {
  readonly status: "live" | "closed";
  readonly shown: Shown;
  /** The reply to send instead if the session accepts no more input. */
  readonly full?: Shown;
  /** Whether it showed why an input was rejected, or what has just happened. */
  readonly hadMessage: boolean;
  readonly language: Language;
  /** The root's state as the debug record names it, and the path down to the innermost state. */
  readonly state: string;
  readonly path: string;
  readonly authenticated: boolean;
  /** The draft that the caller could continue with if the line dropped now. */
  readonly draft: Draft | null;
  readonly machine: StoredMachine;
}

/** Milliseconds that a step waits to learn whether its caller is still logged in. */
const LOGIN_CHECK_MS = 1_000;

export type Conversation = ReturnType<typeof createConversation>;
export type Menus = ReturnType<typeof createMenus>;

/** Once per isolate, because a machine is data and costs more to build than to run. */
export function createMenus(ports: EffectPorts, settings: MenuSettings) {
  const { limit, answerPages, replyBudgetMs, log } = settings;
  const watch = createAnswerWatch(() => ports.clock());
  const machine = createRootMachine(createEffects(ports, watch));
  const screens = { app: ports.app, answerPages, supportPhone: settings.supportPhone };

  function effectFailed(error: unknown): void {
    log.error("menu-effect-failed", { reason: describeThrown(error) });
  }

  /** If the result is late, the login counts as valid: the service that the caller uses checks again. */
  async function isRevoked(login: Login): Promise<boolean> {
    const late = Promise.withResolvers<undefined>();
    const cancel = ports.after(LOGIN_CHECK_MS, () => late.resolve(undefined));
    try {
      const customer = await Promise.race([ports.accounts.customer(login), late.promise]);
      return customer?.ok === true && customer.value === null;
    } finally {
      cancel();
    }
  }

  function converse(actor: RootActor, pages: TurnedPages, lastFault: () => unknown): Conversation {
    return createConversation(actor, createScreenView({ screens, limit }, pages), {
      replyBudgetMs,
      oracleBudgetMs: settings.oracleBudgetMs,
      expectAnswer: (jobId, until) => watch.expect(jobId, until),
      isRevoked,
      lastFault,
      clock: () => ports.clock(),
      after: (milliseconds, work) => ports.after(milliseconds, work),
    });
  }

  return {
    replyBudgetMs,
    open(input: RootInput): Conversation {
      const { inspect, lastFault } = createFaultInspector(effectFailed);
      const actor = createActor(machine, { input, inspect });
      actor.start();
      actor.send({ type: "DIAL" });
      return converse(actor, {}, lastFault);
    },
    /** Undefined if the stored machine has another version or cannot be read. */
    restore({ version, snapshot, pages }: StoredMachine, { start } = { start: true }): Conversation | undefined {
      if (version !== MACHINE_VERSION) return undefined;
      try {
        // A snapshot contains its context, so the input is not read.
        const input = {} as RootInput;
        const { inspect, lastFault } = createFaultInspector(effectFailed);
        const actor = createActor(machine, { snapshot: snapshot as Snapshot<unknown>, input, inspect });
        const { error } = actor.getSnapshot();
        if (error !== undefined) throw new Error("the snapshot cannot be restored", { cause: error });
        if (start) actor.start();
        positionIn(actor);
        return converse(actor, pages, lastFault);
      } catch (thrown) {
        effectFailed(thrown);
        return undefined;
      }
    },
    goodbye(language: Language): PhoneReply {
      const dictionary = dictionaryOf(language);
      return render(goodbyeScreen(dictionary, null, screens), { dictionary, limit });
    },
  };
}

interface RootActor extends AnyActorRef {
  send(event: RootEvent): void;
}

interface Waits extends Pick<MenuSettings, "replyBudgetMs" | "oracleBudgetMs">, Pick<EffectPorts, "clock" | "after"> {
  /** A request waits for this answer of the oracle until that time. */
  expectAnswer(jobId: string, until: number): void;
  isRevoked(login: Login): Promise<boolean>;
  /** The error of the last effect that failed. */
  lastFault(): unknown;
}

/** Milliseconds after the reply for a last poll, so that each request polls at least once, however small the budget. */
const LAST_LOOK_MS = 1_000;

function createConversation(actor: RootActor, view: ScreenView, waits: Waits) {
  const snapshot = () => actor.getSnapshot() as { status: string; value: string; context: RootContext };
  const language = () => snapshot().context.language;
  const isLive = () => snapshot().status === "active";

  function enter(segment: string): void {
    const position = positionIn(actor);
    if (position.message !== undefined) actor.send({ type: "SHOWN" });
    const { page, keys } = view.show({ ...position, message: undefined }, language());
    const typed = readInput(sanitise(segment), position.meta.input, keys);
    if (typed.kind === "more") return view.turnTo(position.path, page + 1);
    if (typed.kind === "back" && page > 1) return view.turnTo(position.path, page - 1);
    actor.send(eventOf(typed, waits.clock()));
  }

  /** Waits for the running effect, if any. */
  async function wait(since: number): Promise<void> {
    for (;;) {
      if (!isLive()) return;
      const { pending, oracle, actor: menu, context } = positionIn(actor);
      if (!pending) return;
      if (oracle) {
        // While this request waits, the effect polls for the answer: from now on, even if it starts polling late.
        const job = questionDraft(context as Parameters<typeof questionDraft>[0]);
        const until = Math.max(since + waits.oracleBudgetMs, waits.clock());
        if (job !== null) waits.expectAnswer(job.jobId, until + LAST_LOOK_MS);
      }
      const left = since + (oracle ? waits.oracleBudgetMs : waits.replyBudgetMs) - waits.clock();
      if (left <= 0 || !(await changesWithin([actor, menu], left, waits.after))) return;
    }
  }

  /** Applies one input; returns whether another may follow. */
  async function applyOne(segment: string, since: number): Promise<boolean> {
    const before = positionIn(actor);
    enter(segment);
    await wait(since);
    if (!isLive()) return false;
    const after = positionIn(actor);
    view.follow(before, after);
    // A PIN is never taken from text that was typed before the prompt for it.
    return after.message === undefined && !after.pending && after.meta.input !== "pin";
  }

  /** A caller who is logged in and uses services. A change of the PIN in progress revokes it itself. */
  function usedLogin(): Login | null {
    const { value: state, context } = snapshot();
    return SERVICE_STATES.has(state) && !positionIn(actor).pending ? context.login : null;
  }

  function leaveServices(): void {
    const before = positionIn(actor);
    actor.send({ type: "REVOKED" });
    view.follow(before, positionIn(actor));
  }

  function draftAt({ menu, state, context }: Position): Draft | null {
    if (!isLive()) return null;
    const left = snapshot().context.draft;
    if (menu === "askOracle") return questionDraft(context as Parameters<typeof questionDraft>[0]);
    if (menu !== "accountCreation") return left;
    return creationDraft(state, context as Parameters<typeof creationDraft>[1]) ?? left;
  }

  function show(position: Position, warning: Message | undefined): Shown {
    const plain = view.show(position, language());
    if (position.message !== undefined || warning === undefined) return plain;
    const warned = view.show({ ...position, message: warning }, language());
    // A warning can replace only the exit line, because exit works even if it is not printed.
    const lines = plain.body.split("\n").filter((each) => !each.startsWith(`${EXIT_KEY}.`));
    return !warned.overflow && lines.every((each) => warned.body.includes(each)) ? warned : plain;
  }

  return {
    /**
     * Applies the inputs of one text, then waits. Effects have until `since` plus the budget, in Unix milliseconds. If
     * an effect has changed the screen since the last reply, whose path was `seen`, the input is discarded, as it is if
     * the login was revoked; exit always works.
     */
    async apply(input: TextInput, since: number, seen?: string): Promise<void> {
      if (!isLive()) return;
      const { path, pending } = positionIn(actor);
      if (input.kind !== "exit" && path !== (seen ?? path) && !pending) return;
      const login = input.kind === "exit" ? null : usedLogin();
      if (login !== null && (await waits.isRevoked(login))) return leaveServices();
      if (input.kind !== "entry") {
        await applyOne(input.kind === "exit" ? EXIT_KEY : "", since);
        return;
      }
      let rest = input.remainder;
      for (let count = 0; count < MAX_SEGMENTS; count += 1) {
        const next = takeSegment(rest, mayHoldStars(positionIn(actor).meta.input));
        if (next === undefined && count > 0) return;
        if (!(await applyOne(next?.segment ?? "", since)) || next === undefined) return;
        rest = next.rest;
      }
    },
    wait,
    /** Whether the first input of a text is too long for the caller's step. */
    isTooLong(input: TextInput): boolean {
      if (!isLive() || input.kind !== "entry") return false;
      const { meta } = positionIn(actor);
      const first = takeSegment(input.remainder, mayHoldStars(meta.input));
      return readInput(sanitise(first?.segment ?? ""), meta.input, []).kind === "too-long";
    },
    /**
     * The current screen, whose message then counts as shown. If it has no message, `warning` is shown if it fits.
     * Undefined if the menus have failed.
     */
    result({ warning, isFull }: { warning: Message | undefined; isFull: boolean }): StepResult | undefined {
      const { status, value: state, context } = snapshot();
      const isClosed = status === "done" && state === "closeSession";
      if (!isLive() && !isClosed) return undefined;
      const position = positionIn(actor);
      // An input that is too long is asked for again, however little room remains.
      const isLast = isFull && !isClosed && position.message?.key !== "tooLong";
      const full = isLast ? view.showFull(position, language()) : undefined;
      const shown = show(position, full === undefined ? warning : undefined);
      const draft = draftAt(position);
      if (position.message !== undefined && !isClosed) actor.send({ type: "SHOWN" });
      return {
        status: isClosed ? "closed" : "live",
        shown,
        ...(full === undefined ? {} : { full }),
        hadMessage: position.message !== undefined,
        language: context.language,
        state,
        path: position.path,
        authenticated: context.login !== null,
        draft,
        machine: { version: MACHINE_VERSION, snapshot: actor.getPersistedSnapshot(), pages: view.pages },
      };
    },
    /** The last reply of menus that have failed. */
    failure(): PhoneReply {
      return waits.lastFault() instanceof NothingSaved ? NOTHING_SAVED : UNAVAILABLE;
    },
    /** The screen's body without personal data. */
    masked(): string {
      const position = positionIn(actor);
      return view.show({ ...position, message: undefined, context: masked(position.context) }, language()).body;
    },
    /** Abandons its effects. */
    stop(): void {
      actor.stop();
    },
  };
}

function eventOf(typed: ReturnType<typeof readInput>, at: number): RootEvent {
  switch (typed.kind) {
    case "value":
      return { type: "ENTER", value: typed.value, at };
    case "exit":
      return { type: "EXIT" };
    case "skip":
      return { type: "SKIP" };
    case "empty":
      return { type: "EMPTY" };
    case "too-long":
      return { type: "TOO_LONG" };
    case "back":
    case "more":
      return { type: "BACK" };
  }
}

/** Whether one of the actors changes in time. */
function changesWithin(
  actors: readonly AnyActorRef[],
  milliseconds: number,
  after: EffectPorts["after"],
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (changed: boolean): void => {
      cancel();
      for (const { unsubscribe } of subscriptions) unsubscribe();
      resolve(changed);
    };
    const cancel = after(milliseconds, () => end(false));
    const change = (): void => end(true);
    const subscriptions = actors.map((actor) => actor.subscribe({ next: change, error: change, complete: change }));
  });
}
