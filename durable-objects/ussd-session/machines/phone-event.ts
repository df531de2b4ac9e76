/**
 * What a phone can do to a machine, and what all machines answer the same way (contract/ussd.md sections 5.1 and 5.2):
 * nothing typed, too much typed, an option that is not there. A reason is kept as a notice until it was shown.
 */
import type { Secret } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import { CHECK_AGAIN_KEY } from "../screens/services.ts";

export type PhoneEvent =
  /** `at`: Unix milliseconds. */
  | { readonly type: "ENTER"; readonly value: string; readonly at: number }
  | { readonly type: "BACK" | "SKIP" | "EMPTY" | "TOO_LONG" }
  /** The notice was shown: it is forgotten. */
  | { readonly type: "SHOWN" };

export interface Noticed {
  readonly notice?: Notice | undefined;
}

/** The root of every machine; its states answer first. It needs the actions `tell` and `forget`. */
export const everyStep = {
  ENTER: { actions: { type: "tell", params: { reason: "invalidSelection" } } },
  EMPTY: { actions: { type: "tell", params: { reason: "empty" } } },
  TOO_LONG: { actions: { type: "tell", params: { reason: "tooLong" } } },
  SHOWN: { actions: "forget" },
} as const;

/** A state that waits for an effect: the one option of its screen changes nothing. It needs the guard `chose`. */
export const whileWaiting = { ENTER: { guard: { type: "chose", params: CHECK_AGAIN_KEY } } } as const;

/** What `setup` reads the types of a machine off; nobody looks at the value. */
export const machineTypes: unknown = {};

/** What was typed; nothing for any other event. */
export function typed(event: { readonly type: string }): string {
  return event.type === "ENTER" && "value" in event && typeof event.value === "string" ? event.value : "";
}

/** When it was typed, Unix milliseconds. */
export function typedAt(event: { readonly type: string }): number {
  return event.type === "ENTER" && "at" in event && typeof event.at === "number" ? event.at : 0;
}

/** Guard of a menu's option. */
export function chose({ event }: { readonly event: { readonly type: string } }, key: string): boolean {
  return typed(event) === key;
}

/** Which item of a numbered list was typed; numbers run on over its pages (contract/ussd.md section 6). */
export function pickedFrom<Item>(items: readonly Item[], typedNumber: string): Item | undefined {
  return /^[1-9]\d?$/.test(typedNumber) ? items[Number(typedNumber) - 1] : undefined;
}

export function secretOf(event: { readonly type: string }): Secret {
  const value = typed(event);
  return { reveal: () => value };
}
