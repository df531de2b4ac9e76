/**
 * Logging in: customer id, PIN, and a new PIN when the one given was temporary (contract/ussd.md section 5.5). The PIN
 * is asked for whether or not the id exists. A login is told to the parent at once; it is the parent's.
 */
import { assign, fromPromise, sendParent, sendTo, setup } from "xstate";
import type { Effects, Forgotten, LogInRequest } from "../effects.ts";
import { readCustomerId, readLoginPin } from "../entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Caller, Customer, Login, LoginOutcome } from "../ports.ts";
import { customerIdScreen, loginPinScreen, loginSuccessScreen } from "../screens/login.ts";
import { waitScreen } from "../screens/services.ts";
import { createChangePinMachine } from "./change-pin.ts";
import { noticeOfLogin } from "./login-notice.ts";
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

export interface LoginInput extends Noticed {
  readonly caller: Caller;
  /** For the change of a temporary PIN. */
  readonly changeKey: string;
}

export type LoginOutput =
  | { readonly event: "DONE" | "BACK" | "LOGGED_OUT" }
  | { readonly event: "LOCKED"; readonly notice: Notice };

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
      verify: fromPromise<LoginOutcome | Forgotten, LogInRequest>(({ input }) => effects.logIn(input)),
      newPin: createChangePinMachine(effects),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: LoginOutput) => ({ outcome })),
      grant: assign((_, outcome: LoginOutcome | Forgotten) =>
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
      isPin: ({ event }) => readLoginPin(typed(event)).ok,
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
      pinEntry: {
        on: {
          ENTER: [
            { guard: "isPin", target: "verifying" },
            { actions: { type: "tell", params: { reason: "loginPinFormat" } } },
          ],
          BACK: "customerIdEntry",
        },
      },
      verifying: {
        tags: "pending",
        invoke: {
          src: "verify",
          input: ({ context: { caller, customerId }, event }) => ({
            caller,
            customerId,
            pin: secretOf(event),
            purpose: "login",
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.state === "accepted" && event.output.mustChangePin,
              target: "mustChange",
              actions: { type: "grant", params: ({ event }) => event.output },
            },
            {
              guard: ({ event }) => event.output.state === "accepted",
              target: "loginSuccess",
              actions: { type: "grant", params: ({ event }) => event.output },
            },
            {
              guard: ({ event }) => event.output.state === "locked" || event.output.state === "expired",
              target: "done",
              actions: {
                type: "end",
                params: ({ event }) => ({ event: "LOCKED", notice: noticeOfLogin(event.output, "wrongLogin") }),
              },
            },
            {
              target: "pinEntry",
              actions: { type: "tell", params: ({ event }) => noticeOfLogin(event.output, "wrongLogin") },
            },
          ],
        },
        on: { ...whileWaiting, BACK: "pinEntry" },
      },
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
