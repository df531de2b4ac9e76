/**
 * Changing the PIN: the current one, the new one, the new one again (contract/ussd.md section 5.7). After an operator's
 * reset the current one was just given, so the new one is asked for at once. A wrong current PIN counts as at login.
 */
import { assign, fromPromise, setup } from "xstate";
import type { Effects } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Caller, Login, PinChange } from "../ports.ts";
import { waitScreen } from "../screens/services.ts";
import { confirmNewPinScreen, currentPinScreen, newPinScreen } from "../screens/settings.ts";
import { isNewPin, newPinActors, newPinStates } from "./new-pin.ts";
import { chose, everyStep, machineTypes, whileWaiting, type Noticed, type PhoneEvent } from "./phone-event.ts";
import {
  isLoginPin,
  pinCheckActor,
  pinCheckStates,
  type Checked,
  type LockedOutput,
  type PinChecked,
} from "./pin-check.ts";
import type { Steps } from "./step.ts";

export interface ChangePinInput {
  readonly caller: Caller;
  readonly login: Login;
  readonly changeKey: string;
  /** The PIN is a temporary one: it was given, and has to be replaced. */
  readonly forced: boolean;
  readonly notice?: Notice;
}

export type ChangePinOutput =
  | { readonly event: "PIN_CHANGED"; readonly login: Login }
  | { readonly event: "BACK" | "LOGGED_OUT" }
  | LockedOutput;

interface ChangePinContext extends Omit<ChangePinInput, "notice">, Noticed {
  /** The new PIN between its two entries: a hash, sealed. */
  readonly sealed: string;
  readonly outcome: ChangePinOutput;
}

export const changePinSteps: Steps<ChangePinContext> = {
  old: { takes: "pin", screen: currentPinScreen },
  verifying: { takes: "menu", screen: waitScreen },
  new: { takes: "pin", screen: newPinScreen },
  judging: { takes: "menu", screen: waitScreen },
  confirm: { takes: "pin", screen: confirmNewPinScreen },
  comparing: { takes: "menu", screen: waitScreen },
  changing: { takes: "menu", screen: waitScreen },
};

const currentPin = pinCheckStates({
  entry: "old",
  checking: "verifying",
  back: "done",
  accepted: [
    {
      guard: ({ event }: Checked) => event.output.state === "accepted",
      target: "new",
      actions: { type: "renew", params: ({ event }: Checked) => event.output },
    },
  ],
  refusal: "wrongPin",
  request: ({ caller, login: { customerId } }: ChangePinContext) => ({ caller, customerId, purpose: "change-pin" }),
});

const newPin = newPinStates({
  entry: "new",
  judging: "judging",
  confirm: "confirm",
  comparing: "comparing",
  chosen: "changing",
  back: [{ guard: "isForced", target: "done" }, { target: "old" }],
  request: ({ caller, login, changeKey }: ChangePinContext) => ({ caller, login, effectKey: changeKey }),
});

type ChangePinEffects = Pick<Effects, "logIn" | "preparePin" | "confirmPin" | "changePin">;

export function createChangePinMachine(effects: ChangePinEffects) {
  return setup({
    types: machineTypes as {
      context: ChangePinContext;
      input: ChangePinInput;
      events: PhoneEvent;
      output: ChangePinOutput;
      tags: "pending";
    },
    actors: {
      ...newPinActors(effects),
      verify: pinCheckActor(effects),
      change: fromPromise<Login | null, PinChange>(({ input }) => effects.changePin(input)),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: ChangePinOutput) => ({ outcome })),
      renew: assign((_, outcome: PinChecked) => (outcome.state === "accepted" ? { login: outcome.login } : {})),
      keepPin: assign((_, sealed: string) => ({ sealed })),
    },
    guards: {
      chose,
      isForced: ({ context }) => context.forced,
      isLoginPin,
      isNewPin,
    },
  }).createMachine({
    id: "changePin",
    context: ({ input }) => ({ ...input, sealed: "", outcome: { event: "BACK" } }),
    initial: "start",
    on: everyStep,
    states: {
      start: { always: [{ guard: "isForced", target: "new" }, { target: "old" }] },
      old: currentPin.entry,
      verifying: currentPin.checking,
      new: newPin.entry,
      judging: newPin.judging,
      confirm: newPin.confirm,
      comparing: newPin.comparing,
      changing: {
        tags: "pending",
        invoke: {
          src: "change",
          input: ({ context: { caller, login, changeKey, sealed } }) => ({
            caller,
            login,
            changeKey,
            sealedPin: sealed,
          }),
          onDone: {
            target: "done",
            actions: {
              type: "end",
              params: ({ event }) =>
                event.output === null ? { event: "LOGGED_OUT" } : { event: "PIN_CHANGED", login: event.output },
            },
          },
        },
        // Leaving undoes nothing: the change may come about, and with it the end of this login.
        on: { ...whileWaiting, BACK: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
