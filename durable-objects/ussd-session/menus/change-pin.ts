/**
 * Changing the PIN: the current one, then the new one twice. After an operator's reset the caller has just entered the current
 * PIN, so the menu asks for the new one at once. A wrong current PIN counts as at login.
 */
import { assign, setup } from "xstate";
import type { Caller, Login } from "../ports.ts";
import { line, prompt, type Screen } from "../screen/screen.ts";
import type { Dictionary, Message } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import {
  chose,
  effect,
  menuTransitions,
  menuTypes,
  outcomeActions,
  waiting,
  whileWaiting,
  type WithMessage,
} from "./menu.ts";
import { isNewPin, newPinActors, newPinStates } from "./new-pin.ts";
import {
  isLoginPin,
  pinCheckActor,
  pinCheckStates,
  type Checked,
  type LockedOutput,
  type PinChecked,
} from "./pin-check.ts";

interface ChangePinInput {
  readonly caller: Caller;
  readonly login: Login;
  readonly changeKey: string;
  /** The PIN is a temporary one: it was entered, and must be replaced. */
  readonly forced: boolean;
  readonly message?: Message;
}

type ChangePinOutput =
  | { readonly event: "PIN_CHANGED"; readonly login: Login }
  | { readonly event: "BACK" | "LOGGED_OUT" }
  | LockedOutput;

interface ChangePinContext extends Omit<ChangePinInput, "message">, WithMessage {
  /** The new PIN between its two entries: a sealed hash. */
  readonly sealed: string;
  readonly outcome: ChangePinOutput;
}

function currentPinScreen({ texts }: Dictionary): Screen {
  return prompt("PO", [line(texts.currentPinPrompt)]);
}

function newPinScreen({ texts }: Dictionary): Screen {
  return prompt("PN", [line(texts.newPinPrompt)]);
}

function confirmNewPinScreen({ texts }: Dictionary): Screen {
  return prompt("PC", [line(texts.confirmNewPinPrompt)]);
}

const currentPin = pinCheckStates({
  entry: "old",
  checking: "verifying",
  screen: currentPinScreen,
  back: "done",
  accepted: [
    {
      guard: ({ event }: Checked) => event.output.state === "accepted",
      target: "new",
      actions: { type: "renew", params: ({ event }: Checked) => event.output },
    },
  ],
  wrong: "wrongPin",
  request: ({ caller, login: { customerId } }: ChangePinContext) => ({ caller, customerId, purpose: "change-pin" }),
});

const newPin = newPinStates({
  entry: "new",
  checking: "judging",
  confirm: "confirm",
  comparing: "comparing",
  screens: { entry: newPinScreen, confirm: confirmNewPinScreen },
  chosen: "changing",
  back: [{ guard: "isForced", target: "done" }, { target: "old" }],
  request: ({ caller, login, changeKey }: ChangePinContext) => ({
    phoneNumber: caller.phoneNumber,
    login,
    effectKey: changeKey,
  }),
});

type ChangePinEffects = Pick<Effects, "logIn" | "preparePin" | "confirmPin" | "changePin">;

export function createChangePinMachine(effects: ChangePinEffects) {
  return setup({
    types: menuTypes<{ context: ChangePinContext; input: ChangePinInput; output: ChangePinOutput }>(),
    actors: {
      ...newPinActors(effects),
      verify: pinCheckActor(effects),
      change: effect(effects.changePin),
    },
    actions: {
      ...outcomeActions<ChangePinContext>(),
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
    on: menuTransitions,
    states: {
      start: { always: [{ guard: "isForced", target: "new" }, { target: "old" }] },
      old: currentPin.entry,
      verifying: currentPin.checking,
      new: newPin.entry,
      judging: newPin.checking,
      confirm: newPin.confirm,
      comparing: newPin.comparing,
      changing: {
        ...waiting,
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
        // Leaving undoes nothing: the PIN may be changed, which revokes this login.
        on: { ...whileWaiting, BACK: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
