/**
 * A machine in talk with a phone: applies what was typed and waits for effects within the budget (contract/ussd.md
 * sections 3 and 5). It keeps nothing by itself; session.ts stores what `stored` tells. What is shown is screen-view.ts's.
 */
import { createActor, type AnyActorRef, type Snapshot } from "xstate";
import type { Demand } from "./demand.ts";
import type { Draft } from "./draft.ts";
import type { Notice } from "./i18n/dictionary.ts";
import type { Language } from "./i18n/languages.ts";
import { EXIT_KEY, readInput, takesStars } from "./input/input-keys.ts";
import { creationDraft } from "./machines/account-creation.ts";
import { questionDraft } from "./machines/ask-oracle.ts";
import { maskedContext, placeOf, type Place } from "./machines/place.ts";
import type { UssdContext, UssdEvent, UssdInput } from "./machines/ussd-setup.ts";
import { MACHINE_VERSION, type createUssdMachine } from "./machines/ussd.ts";
import { sanitise } from "./characters/sanitise.ts";
import { createScreenView, type Shown, type TurnedPages, type ViewSettings } from "./screen-view.ts";
import { MAX_SEGMENTS, takeSegment, type TextInput } from "./input/text-meaning.ts";

export interface ConversationParts extends ViewSettings {
  readonly machine: ReturnType<typeof createUssdMachine>;
  /** Milliseconds that a reply may wait for an effect, and for the oracle. */
  readonly replyBudgetMs: number;
  readonly oracleBudgetMs: number;
  clock(): number;
  after(milliseconds: number, work: () => void): () => void;
  /** Told who waits for the oracle. */
  readonly demand: Pick<Demand, "expect">;
  /** What an effect threw. */
  effectFailed(error: unknown): void;
}

/** The machine as it was after the last reply. */
export interface StoredMachine {
  readonly version: number;
  readonly snapshot: unknown;
  readonly pages: TurnedPages;
}

export interface Conversation {
  readonly place: Place;
  /** The parent's, as the debug record names it. */
  readonly state: string;
  readonly status: "live" | "closed" | "failed";
  readonly language: Language;
  readonly authenticated: boolean;
  /** What could be gone on with if the line dropped now. */
  readonly draft: Draft | null;
  /**
   * Applies the inputs of one text, then waits. Effects have until `since` plus the budget, Unix milliseconds. When an
   * effect has led on from the place that the caller saw, the input was for a screen that is no more: what has come of
   * it is shown instead. Only exit is exit everywhere.
   */
  apply(input: TextInput, since: number, seen: string): Promise<void>;
  /** Waits for the effect at work, if any. */
  settle(since: number): Promise<void>;
  /** The screen as it is; its notice counts as shown. Without one, `warning` stands there where there is room. */
  show(warning?: Notice): Shown;
  /** The same as the session's last reply: what was to be told, and that the session can take no more. */
  showFull(): Shown;
  /** The screen's body with what names a person left out. */
  masked(): string;
  readonly stored: StoredMachine;
  /** Its effects are given up. */
  stop(): void;
}

export function openConversation(parts: ConversationParts, input: UssdInput): Conversation {
  const actor = createActor(parts.machine, { input, inspect: reporter(parts) });
  actor.start();
  actor.send({ type: "DIAL" });
  return converse(parts, actor, {});
}

/** Undefined when the machine that was stored is of another version or cannot be read. */
export function restoreConversation(
  parts: ConversationParts,
  { version, snapshot, pages }: StoredMachine,
  options: { readonly start: boolean } = { start: true },
): Conversation | undefined {
  if (version !== MACHINE_VERSION) return undefined;
  try {
    const actor = createActor(parts.machine, {
      snapshot: snapshot as Snapshot<unknown>,
      // A snapshot has its context, so nobody reads it.
      input: {} as UssdInput,
      inspect: reporter(parts),
    });
    const { error } = actor.getSnapshot();
    if (error !== undefined) throw new Error("the snapshot cannot be restored", { cause: error });
    if (options.start) actor.start();
    placeOf(actor);
    return converse(parts, actor, pages);
  } catch (thrown) {
    parts.effectFailed(thrown);
    return undefined;
  }
}

/** An actor tells nobody what it failed with unless it is asked. */
function reporter({ effectFailed }: ConversationParts) {
  return (inspected: { readonly type: string; readonly event?: { readonly type: string } }): void => {
    const event = inspected.type === "@xstate.event" ? inspected.event : undefined;
    if (event?.type.startsWith("xstate.error.") && "error" in event) effectFailed(event.error);
  };
}

interface Running extends AnyActorRef {
  send(event: UssdEvent): void;
}

/** Milliseconds after the reply for a last look, so that there is one for each request however small the budget. */
const LAST_LOOK_MS = 1_000;

function converse(parts: ConversationParts, actor: Running, stored: TurnedPages): Conversation {
  const view = createScreenView(parts, stored);

  const snapshot = () => actor.getSnapshot() as { status: string; value: string; context: UssdContext };
  const here = (): Place => placeOf(actor);

  function status(): Conversation["status"] {
    const { status: state, value } = snapshot();
    if (state === "active") return "live";
    return state === "done" && value === "closeSession" ? "closed" : "failed";
  }

  function language(): Language {
    return snapshot().context.language;
  }

  function enter(segment: string): void {
    const place = here();
    if (place.notice !== undefined) actor.send({ type: "SHOWN" });
    const { page, keys } = view.show({ ...place, notice: undefined }, language());
    const reading = readInput(sanitise(segment), place.step.takes, keys);
    if (reading.kind === "more") return view.turnTo(place.path, page + 1);
    if (reading.kind === "back" && page > 1) return view.turnTo(place.path, page - 1);
    actor.send(eventOf(reading, parts.clock()));
  }

  /** As long as this request waits, the effect at work looks for the answer. */
  function expectAnswer(context: unknown, until: number): void {
    const job = questionDraft(context as Parameters<typeof questionDraft>[0]);
    if (job !== null) parts.demand.expect(job.jobId, until);
  }

  async function settle(since: number): Promise<void> {
    for (;;) {
      if (status() !== "live") return;
      const { pending, oracle, actor: part, context } = here();
      if (!pending) return;
      // From now on, not from when the request arrived: however late it comes to this, it looks.
      const waitsUntil = Math.max(since + parts.oracleBudgetMs, parts.clock());
      if (oracle) expectAnswer(context, waitsUntil + LAST_LOOK_MS);
      const left = since + (oracle ? parts.oracleBudgetMs : parts.replyBudgetMs) - parts.clock();
      if (left <= 0 || !(await changesWithin([actor, part], left, parts.after))) return;
    }
  }

  /** One input; whether another may follow. */
  async function applyOne(segment: string, since: number): Promise<boolean> {
    const before = here();
    enter(segment);
    await settle(since);
    if (status() !== "live") return false;
    const after = here();
    view.follow(before, after);
    // A PIN is never taken from what was typed before it was asked for.
    return after.notice === undefined && !after.pending && after.step.takes !== "pin";
  }

  return {
    get place() {
      return here();
    },
    get state() {
      return snapshot().value;
    },
    get status() {
      return status();
    },
    get language() {
      return language();
    },
    get authenticated() {
      return snapshot().context.login !== null;
    },
    get draft() {
      if (status() !== "live") return null;
      const { part, state, context } = here();
      const left = snapshot().context.draft;
      if (part === "accountCreation") {
        if (state === "accountCreationSuccess") return null;
        return creationDraft(state, context as Parameters<typeof creationDraft>[1]) ?? left;
      }
      return part === "askOracle" ? questionDraft(context as Parameters<typeof questionDraft>[0]) : left;
    },
    async apply(input, since, seen) {
      if (status() !== "live" || (input.kind !== "exit" && here().path !== seen && !here().pending)) return;
      if (input.kind !== "entry") {
        await applyOne(input.kind === "exit" ? "*" : "", since);
        return;
      }
      let rest = input.remainder;
      for (let count = 0; count < MAX_SEGMENTS; count += 1) {
        const next = takeSegment(rest, takesStars(here().step.takes));
        if (next === undefined && count > 0) return;
        if (!(await applyOne(next?.segment ?? "", since)) || next === undefined) return;
        rest = next.rest;
      }
    },
    settle,
    show(warning) {
      const place = here();
      const plain = view.show(place, language());
      if (place.notice !== undefined && status() === "live") actor.send({ type: "SHOWN" });
      if (place.notice !== undefined || warning === undefined) return plain;
      const warned = view.show({ ...place, notice: warning }, language());
      // A warning takes nothing off the screen but the exit, which works unprinted.
      const lines = plain.body.split("\n").filter((each) => !each.startsWith(`${EXIT_KEY}.`));
      return !warned.overflow && lines.every((each) => warned.body.includes(each)) ? warned : plain;
    },
    showFull: () => view.showFull(here(), language()),
    masked() {
      const place = here();
      const masked = { ...place, notice: undefined, context: maskedContext(place.context) };
      return view.show(masked, language()).body;
    },
    get stored() {
      return { version: MACHINE_VERSION, snapshot: actor.getPersistedSnapshot(), pages: view.pages };
    },
    stop: () => actor.stop(),
  };
}

function eventOf(reading: ReturnType<typeof readInput>, at: number): UssdEvent {
  switch (reading.kind) {
    case "value":
      return { type: "ENTER", value: reading.value, at };
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
  after: ConversationParts["after"],
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (changed: boolean): void => {
      callOff();
      for (const { unsubscribe } of subscriptions) unsubscribe();
      resolve(changed);
    };
    const callOff = after(milliseconds, () => end(false));
    const told = (): void => end(true);
    const subscriptions = actors.map((actor) => actor.subscribe({ next: told, error: told, complete: told }));
  });
}
