/**
 * Changing the PIN: the current one, the new one, the new one again (contract/ussd.md section 5.7). After an operator's
 * reset the current one was just given, so the new one is asked for at once. A wrong current PIN counts as at login.
 */
import { assign, fromPromise, setup } from "xstate";
import type { ConfirmPinRequest, Effects, Forgotten, LogInRequest, PreparePinRequest } from "../effects.ts";
import { readLoginPin, readNewPin } from "../entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Caller, Login, LoginOutcome, NewPinOutcome, PinChange } from "../ports.ts";
import { waitScreen } from "../screens/services.ts";
import { confirmNewPinScreen, currentPinScreen, newPinScreen } from "../screens/settings.ts";
import { noticeOfLogin } from "./login-notice.ts";
import { flawNotice } from "./pin-flaw.ts";
import {
  chose,
  everyStep,
  machineTypes,
  secretOf,
  typed,
  whileWaiting,
  type Noticed,
  type PhoneEvent,
} from "./phone-event.ts";
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
  | { readonly event: "LOCKED"; readonly notice: Notice };

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
      verify: fromPromise<LoginOutcome | Forgotten, LogInRequest>(({ input }) => effects.logIn(input)),
      prepare: fromPromise<NewPinOutcome | Forgotten, PreparePinRequest>(({ input }) => effects.preparePin(input)),
      compare: fromPromise<boolean | Forgotten, ConfirmPinRequest>(({ input }) => effects.confirmPin(input)),
      change: fromPromise<Login | null, PinChange>(({ input }) => effects.changePin(input)),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: ChangePinOutput) => ({ outcome })),
    },
    guards: {
      chose,
      isForced: ({ context }) => context.forced,
      isLoginPin: ({ event }) => readLoginPin(typed(event)).ok,
      isNewPin: ({ event }) => readNewPin(typed(event)).ok,
    },
  }).createMachine({
    id: "changePin",
    context: ({ input }) => ({ ...input, sealed: "", outcome: { event: "BACK" } }),
    initial: "start",
    on: everyStep,
    states: {
      start: { always: [{ guard: "isForced", target: "new" }, { target: "old" }] },
      old: {
        on: {
          ENTER: [
            { guard: "isLoginPin", target: "verifying" },
            { actions: { type: "tell", params: { reason: "loginPinFormat" } } },
          ],
          BACK: "done",
        },
      },
      verifying: {
        tags: "pending",
        invoke: {
          src: "verify",
          input: ({ context, event }) => ({
            caller: context.caller,
            customerId: context.login.customerId,
            pin: secretOf(event),
            purpose: "change-pin",
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.state === "accepted",
              target: "new",
              actions: assign(({ context, event }) =>
                event.output.state === "accepted" ? { login: event.output.login } : { login: context.login },
              ),
            },
            {
              guard: ({ event }) => event.output.state === "locked" || event.output.state === "expired",
              target: "done",
              actions: {
                type: "end",
                params: ({ event }) => ({ event: "LOCKED", notice: noticeOfLogin(event.output, "wrongPin") }),
              },
            },
            {
              target: "old",
              actions: { type: "tell", params: ({ event }) => noticeOfLogin(event.output, "wrongPin") },
            },
          ],
        },
        on: { ...whileWaiting, BACK: "old" },
      },
      new: {
        on: {
          ENTER: [
            { guard: "isNewPin", target: "judging" },
            { actions: { type: "tell", params: { reason: "newPinFormat" } } },
          ],
          BACK: [{ guard: "isForced", target: "done" }, { target: "old" }],
        },
      },
      judging: {
        tags: "pending",
        invoke: {
          src: "prepare",
          input: ({ context: { caller, login, changeKey }, event }) => ({
            caller,
            login,
            effectKey: changeKey,
            pin: secretOf(event),
          }),
          onDone: [
            {
              guard: ({ event }) => "accepted" in event.output && event.output.accepted,
              target: "confirm",
              actions: assign({ sealed: ({ event }) => ("sealed" in event.output ? event.output.sealed : "") }),
            },
            { target: "new", actions: { type: "tell", params: ({ event }) => flawNotice(event.output) } },
          ],
        },
        on: { ...whileWaiting, BACK: "new" },
      },
      confirm: {
        on: {
          ENTER: [
            { guard: "isNewPin", target: "comparing" },
            { actions: { type: "tell", params: { reason: "newPinFormat" } } },
          ],
          BACK: "new",
        },
      },
      comparing: {
        tags: "pending",
        invoke: {
          src: "compare",
          input: ({ context: { sealed, changeKey }, event }) => ({
            sealed,
            effectKey: changeKey,
            pin: secretOf(event),
          }),
          onDone: [
            { guard: ({ event }) => event.output === true, target: "changing" },
            {
              guard: ({ event }) => event.output === false,
              target: "new",
              actions: { type: "tell", params: { reason: "pinMismatch" } },
            },
            { target: "confirm", actions: { type: "tell", params: { reason: "unavailable" } } },
          ],
        },
        on: { ...whileWaiting, BACK: "new" },
      },
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
