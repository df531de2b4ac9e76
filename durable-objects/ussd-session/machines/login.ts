/**
 * Logging in: customer id, PIN, and a new PIN when the one given was temporary (contract/ussd.md section 5.5). The PIN
 * is asked for whether or not the id exists. A login is told to the parent at once; it is the parent's.
 */
import { assign, sendParent, sendTo, setup } from "xstate";
import type { Effects } from "../effects.ts";
import { readCustomerId } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Caller, Customer, Login } from "../ports.ts";
import { customerIdScreen, loginPinScreen, loginSuccessScreen } from "../screens/login.ts";
import { waitScreen } from "../screens/services.ts";
import { createChangePinMachine } from "./change-pin.ts";
import { chose, everyStep, machineTypes, typed, type Noticed, type PhoneEvent } from "./phone-event.ts";
import {
  isLoginPin,
  pinCheckActor,
  pinCheckStates,
  type Checked,
  type LockedOutput,
  type PinChecked,
} from "./pin-check.ts";
import type { Steps } from "./step.ts";

export interface LoginInput extends Noticed {
  readonly caller: Caller;
  /** For the change of a temporary PIN. */
  readonly changeKey: string;
}

export type LoginOutput = { readonly event: "DONE" | "BACK" | "LOGGED_OUT" } | LockedOutput;

/** To the parent, while OK is shown. */
export interface LoginSuccess {
  readonly type: "LOGIN_SUCCESS";
  readonly login: Login;
  readonly customer: Customer;
}

interface LoginContext extends LoginInput {
  readonly customerId: string;
  readonly granted: { readonly login: Login; readonly customer: Customer } | null;
  readonly outcome: LoginOutput;
}

export const loginSteps: Steps<LoginContext> = {
  customerIdEntry: { takes: "customer-id", screen: customerIdScreen },
  pinEntry: { takes: "pin", screen: loginPinScreen },
  verifying: { takes: "menu", screen: waitScreen },
  loginSuccess: {
    takes: "menu",
    screen: (dictionary, { customerId, granted }) =>
      loginSuccessScreen(dictionary, { name: granted?.customer.name ?? "", customerId }),
  },
};

const pin = pinCheckStates({
  entry: "pinEntry",
  checking: "verifying",
  back: "customerIdEntry",
  accepted: [
    {
      guard: ({ event }: Checked) => event.output.state === "accepted" && event.output.mustChangePin,
      target: "mustChange",
      actions: { type: "grant", params: ({ event }: Checked) => event.output },
    },
    {
      guard: ({ event }: Checked) => event.output.state === "accepted",
      target: "loginSuccess",
      actions: { type: "grant", params: ({ event }: Checked) => event.output },
    },
  ],
  refusal: "wrongLogin",
  request: ({ caller, customerId }: LoginContext) => ({ caller, customerId, purpose: "login" }),
});

export function createLoginMachine(effects: Pick<Effects, "logIn" | "preparePin" | "confirmPin" | "changePin">) {
  return setup({
    types: machineTypes as {
      context: LoginContext;
      input: LoginInput;
      events: PhoneEvent;
      output: LoginOutput;
      tags: "pending";
      children: { newPin: "newPin" };
    },
    actors: {
      verify: pinCheckActor(effects),
      newPin: createChangePinMachine(effects),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: LoginOutput) => ({ outcome })),
      grant: assign((_, outcome: PinChecked) =>
        outcome.state === "accepted" ? { granted: { login: outcome.login, customer: outcome.customer } } : {},
      ),
      forward: sendTo("newPin", ({ event }) => event),
      report: sendParent(({ context: { granted } }: { context: LoginContext }) => ({
        type: "LOGIN_SUCCESS",
        ...granted,
      })),
    },
    guards: {
      chose,
      isCustomerId: ({ event }) => readCustomerId(typed(event)).ok,
      isLoginPin,
    },
  }).createMachine({
    id: "login",
    context: ({ input }) => ({ ...input, customerId: "", granted: null, outcome: { event: "BACK" } }),
    initial: "customerIdEntry",
    on: everyStep,
    states: {
      customerIdEntry: {
        on: {
          ENTER: [
            {
              guard: "isCustomerId",
              target: "pinEntry",
              actions: assign({ customerId: ({ event }) => event.value.toUpperCase() }),
            },
            { actions: { type: "tell", params: { reason: "customerIdFormat" } } },
          ],
          BACK: "done",
        },
      },
      pinEntry: pin.entry,
      verifying: pin.checking,
      mustChange: {
        invoke: {
          id: "newPin",
          src: "newPin",
          input: ({ context: { caller, changeKey, granted } }) => ({
            caller,
            changeKey,
            login: granted?.login ?? { customerId: "", epoch: -1 },
            forced: true,
            notice: { reason: "setNewPin" },
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.event === "PIN_CHANGED",
              target: "loginSuccess",
              actions: assign({
                granted: ({ context: { granted }, event: { output } }) =>
                  granted && output.event === "PIN_CHANGED" ? { ...granted, login: output.login } : granted,
              }),
            },
            {
              guard: ({ event }) => event.output.event === "LOGGED_OUT",
              target: "done",
              actions: { type: "end", params: { event: "LOGGED_OUT" } },
            },
            { target: "pinEntry" },
          ],
        },
        on: {
          ENTER: { actions: "forward" },
          BACK: { actions: "forward" },
          EMPTY: { actions: "forward" },
          TOO_LONG: { actions: "forward" },
          SHOWN: { actions: "forward" },
        },
      },
      loginSuccess: {
        entry: ["report", { type: "end", params: { event: "DONE" } }],
        on: { ENTER: "done", BACK: "done", EMPTY: "done", TOO_LONG: "done", SKIP: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
