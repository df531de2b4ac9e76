/**
 * The common parts of every menu: the events of a phone, the `meta` of a state (its screen and the input that it
 * expects), and the shared actions, guards and transitions. docs/phone-menus.md shows how to add a step.
 */
import { assign, fromPromise, type EventObject } from "xstate";
import type { InputKind } from "../input/typed-input.ts";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import type { Dictionary, Message } from "../texts/dictionary.ts";
import type { Lookup, Secret } from "./effects.ts";

export type PhoneEvent =
  /** `at`: Unix milliseconds. */
  | { readonly type: "ENTER"; readonly value: string; readonly at: number }
  | { readonly type: "BACK" | "SKIP" | "EMPTY" | "TOO_LONG" }
  /** The message was shown, so it is cleared. */
  | { readonly type: "SHOWN" };

/** Settings that screens show and that belong to no session. */
export interface ScreenSettings {
  readonly app: string;
  /** The operator's phone number; undefined if none is configured. */
  readonly supportPhone?: string | undefined;
  /** Maximum pages of the oracle's answer. */
  readonly answerPages: number;
}

/** The `meta` of each state in which a caller can be. */
export interface StateMeta<Context> {
  readonly input: InputKind;
  readonly screen: (dictionary: Dictionary, context: Context, settings: ScreenSettings) => Screen;
  /** The caller returns to the page that they left, until the menu ends. */
  readonly keepsPage?: true;
}

/** Part of the context of every menu. */
export interface WithMessage {
  /** Shown once, above the next screen. */
  readonly message?: Message | undefined;
}

interface MenuShape {
  readonly context: WithMessage;
  readonly input: unknown;
  readonly output?: unknown;
  readonly events?: { readonly type: string };
  readonly children?: Record<string, string>;
}

type MenuTypes<Shape extends MenuShape> = Omit<Shape, "events"> & {
  events: Shape extends { readonly events: infer Events } ? Events : PhoneEvent;
  /** `pending`: an effect is running; `oracle`: it is the oracle's, which has more time. */
  tags: "pending" | "oracle";
  meta: StateMeta<Shape["context"]>;
};

/** The types of a menu for `setup`, which reads no value. */
export function menuTypes<Shape extends MenuShape>(): MenuTypes<Shape> {
  const types: unknown = {};
  return types as MenuTypes<Shape>;
}

/** Actions of every menu. */
export function menuActions<Context extends WithMessage, Event extends EventObject = PhoneEvent>() {
  return {
    showMessage: assign<Context, Event, Message | undefined, Event, never>((_, message) => changed({ message })),
    clearMessage: assign<Context, Event, undefined, Event, never>(() => changed({ message: undefined })),
  };

  function changed(change: WithMessage): Partial<Context> {
    return change as Partial<Context>;
  }
}

/** The actions of every menu, and `end` for a menu that returns an outcome to its parent. */
export function outcomeActions<Context extends WithMessage & { readonly outcome: unknown }>() {
  return {
    ...menuActions<Context>(),
    end: assign<Context, PhoneEvent, Context["outcome"], PhoneEvent, never>(
      (_, outcome) => ({ outcome }) as Partial<Context>,
    ),
  };
}

/** Transitions of every menu, at its root: a state's own transitions take precedence. */
export const menuTransitions = {
  ENTER: { actions: { type: "showMessage", params: { key: "invalidSelection" } } },
  EMPTY: { actions: { type: "showMessage", params: { key: "empty" } } },
  TOO_LONG: { actions: { type: "showMessage", params: { key: "tooLong" } } },
  SHOWN: { actions: "clearMessage" },
} as const;

const CHECK_AGAIN_KEY = "1";

/** The screen of a lookup that takes longer than a reply allows. */
function waitScreen({ texts }: Dictionary): Screen {
  return menu("WAIT", [line(texts.wait), option(CHECK_AGAIN_KEY, texts.checkAgain)]);
}

/** A state that waits for an effect. */
export const waiting = { tags: "pending", meta: { input: "menu", screen: waitScreen } } as const;

/** Its transitions: the one option of its screen changes nothing. */
export const whileWaiting = { ENTER: { guard: { type: "chose", params: CHECK_AGAIN_KEY } } } as const;

/** An effect as the actor that a state invokes; its signal aborts when the caller leaves the state. */
export function effect<Input, Output>(run: (input: Input, signal: AbortSignal) => Promise<Output>) {
  return fromPromise<Output, Input>(({ input, signal }) => run(input, signal));
}

/** Guard of a menu's option. */
export function chose({ event }: { readonly event: { readonly type: string } }, key: string): boolean {
  return typed(event) === key;
}

/** The typed text; empty for any other event. */
export function typed(event: { readonly type: string }): string {
  return event.type === "ENTER" && "value" in event && typeof event.value === "string" ? event.value : "";
}

/** When it was typed, Unix milliseconds. */
export function typedAt(event: { readonly type: string }): number {
  return event.type === "ENTER" && "at" in event && typeof event.at === "number" ? event.at : 0;
}

/** The picked item of a numbered list; numbers continue over its pages. */
export function pickedFrom<Item>(items: readonly Item[], typedNumber: string): Item | undefined {
  return /^[1-9]\d?$/.test(typedNumber) ? items[Number(typedNumber) - 1] : undefined;
}

export function secretOf(event: { readonly type: string }): Secret {
  const value = typed(event);
  return { reveal: () => value };
}

/** How a service ends: back to the menu of services, possibly with a message, or with the login revoked. */
export interface ServiceOutput {
  readonly event: "DONE" | "LOGGED_OUT";
  readonly message?: Message;
}

/** The output of a lookup that found nothing to show. */
export function lookupOutput(outcome: Lookup<unknown>): ServiceOutput {
  if (outcome === null) return { event: "LOGGED_OUT" };
  return outcome.ok ? { event: "DONE" } : { event: "DONE", message: { key: outcome.error } };
}
