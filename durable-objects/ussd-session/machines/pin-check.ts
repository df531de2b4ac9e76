/**
 * A PIN that is asked for and checked, as it is at login and before a change (contract/ussd.md sections 5.5 and 5.7): two
 * states of the machine that asks, under names of its own. It has the actions `tell` and `end`, and ends in `done`.
 */
import { fromPromise } from "xstate";
import type { Effects, Forgotten, LogInRequest } from "../effects.ts";
import { readLoginPin } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { LoginOutcome } from "../ports.ts";
import { secretOf, typed, whileWaiting, type PhoneEvent } from "./phone-event.ts";

export type PinChecked = LoginOutcome | Forgotten;

/** What a transition of an answered check is handed. */
export interface Checked {
  readonly event: { readonly output: PinChecked };
}

/** How a machine ends whose account is locked, by this PIN or by an earlier one. */
export interface LockedOutput {
  readonly event: "LOCKED";
  readonly notice: Notice;
}

/** Actor and guard that the states are made of. */
export function pinCheckActor(effects: Pick<Effects, "logIn">) {
  return fromPromise<PinChecked, LogInRequest>(({ input }) => effects.logIn(input));
}

export function isLoginPin({ event }: { readonly event: { readonly type: string } }): boolean {
  return readLoginPin(typed(event)).ok;
}

interface PinCheckPlan<Context, Entry, Checking, Back, Accepted extends readonly unknown[]> {
  /** The names of the two states. */
  readonly entry: Entry;
  readonly checking: Checking;
  readonly back: Back;
  /** Where an accepted PIN leads: transitions that are tried before those of a refusal. */
  readonly accepted: Accepted;
  readonly refusal: "wrongLogin" | "wrongPin";
  readonly request: (context: Context) => Omit<LogInRequest, "pin">;
}

export function pinCheckStates<
  Context,
  const Entry extends string,
  const Checking extends string,
  const Back,
  const Accepted extends readonly unknown[],
>({ entry, checking, back, accepted, refusal, request }: PinCheckPlan<Context, Entry, Checking, Back, Accepted>) {
  return {
    entry: {
      on: {
        ENTER: [
          { guard: "isLoginPin", target: checking },
          { actions: { type: "tell", params: { reason: "loginPinFormat" } } },
        ],
        BACK: back,
      },
    },
    checking: {
      tags: "pending",
      invoke: {
        src: "verify",
        input: ({ context, event }: { context: Context; event: PhoneEvent }) => ({
          ...request(context),
          pin: secretOf(event),
        }),
        onDone: [
          ...accepted,
          {
            guard: ({ event }: Checked) => event.output.state === "locked" || event.output.state === "expired",
            target: "done",
            actions: {
              type: "end",
              params: ({ event }: Checked): LockedOutput => ({
                event: "LOCKED",
                notice: noticeOf(event.output, refusal),
              }),
            },
          },
          {
            target: entry,
            actions: { type: "tell", params: ({ event }: Checked) => noticeOf(event.output, refusal) },
          },
        ],
      },
      on: { ...whileWaiting, BACK: entry },
    },
  } as const;
}

function noticeOf(outcome: PinChecked, refusal: "wrongLogin" | "wrongPin"): Notice {
  switch (outcome.state) {
    case "refused": {
      const { attemptsUsed: used, attemptsLeft: left } = outcome;
      return { reason: refusal, values: { used, left, limit: used + left } };
    }
    case "locked":
      return { reason: "locked", values: { minutes: outcome.minutes } };
    case "expired":
      return { reason: "pinExpired" };
    case "forgotten":
    case "accepted":
      return { reason: "unavailable" };
  }
}
