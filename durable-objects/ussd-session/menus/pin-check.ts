/**
 * A PIN that is asked for and checked, at login and before a change: two states of the menu that asks for it, with
 * names of that menu. The menu needs the actions of `outcomeActions` and ends in `done`.
 */
import { readLoginPin } from "../input/typed-input.ts";
import type { LoginOutcome } from "../ports.ts";
import type { Screen } from "../screen/screen.ts";
import type { Dictionary, Message } from "../texts/dictionary.ts";
import type { Effects, Forgotten, LogInRequest } from "./effects.ts";
import { effect, secretOf, typed, waiting, whileWaiting, type PhoneEvent } from "./menu.ts";

export type PinChecked = LoginOutcome | Forgotten;

/** The event of a transition after the check. */
export interface Checked {
  readonly event: { readonly output: PinChecked };
}

/** The output of a menu whose account is locked, by this PIN or by an earlier one. */
export interface LockedOutput {
  readonly event: "LOCKED";
  readonly message: Message;
}

/** The actor and the guard of the states. */
export function pinCheckActor(effects: Pick<Effects, "logIn">) {
  return effect(effects.logIn);
}

export function isLoginPin({ event }: { readonly event: { readonly type: string } }): boolean {
  return readLoginPin(typed(event)).ok;
}

type WithoutPin<Request> = Request extends unknown ? Omit<Request, "pin"> : never;
type WrongPinKey = "wrongLogin" | "wrongPin" | "wrongRecovery";

interface PinCheckPlan<Context, Entry, Checking, Back, Accepted extends readonly unknown[]> {
  /** The names of the two states, and the screen of the first. */
  readonly entry: Entry;
  readonly checking: Checking;
  readonly screen: (dictionary: Dictionary) => Screen;
  readonly back: Back;
  /** Transitions for an accepted PIN, tried before those for a wrong one. */
  readonly accepted: Accepted;
  /** The message for a wrong PIN. */
  readonly wrong: WrongPinKey;
  readonly request: (context: Context) => WithoutPin<LogInRequest>;
}

export function pinCheckStates<
  Context,
  const Entry extends string,
  const Checking extends string,
  const Back,
  const Accepted extends readonly unknown[],
>(plan: PinCheckPlan<Context, Entry, Checking, Back, Accepted>) {
  const { entry, checking, screen, back, accepted, wrong, request } = plan;
  return {
    entry: {
      meta: { input: "pin", screen },
      on: {
        ENTER: [
          { guard: "isLoginPin", target: checking },
          { actions: { type: "showMessage", params: { key: "loginPinFormat" } } },
        ],
        BACK: back,
      },
    },
    checking: {
      ...waiting,
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
                message: messageOf(event.output, wrong),
              }),
            },
          },
          {
            target: entry,
            actions: { type: "showMessage", params: ({ event }: Checked) => messageOf(event.output, wrong) },
          },
        ],
      },
      on: { ...whileWaiting, BACK: entry },
    },
  } as const;
}

function messageOf(outcome: PinChecked, wrong: WrongPinKey): Message {
  switch (outcome.state) {
    case "refused": {
      const { attemptsUsed: used, attemptsLeft: left } = outcome;
      return { key: wrong, values: { used, left, limit: used + left } };
    }
    case "locked":
      return { key: "locked", values: { minutes: outcome.minutes } };
    case "expired":
      return { key: "pinExpired" };
    case "forgotten":
    case "found":
    case "accepted":
      return { key: "unavailable" };
  }
}
