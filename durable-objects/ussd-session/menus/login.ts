/**
 * Logging in: customer id, PIN, and a new PIN if the entered one was temporary. A caller who has forgotten the id of
 * their number's only account sees it after entering its PIN. The PIN is asked for whether or not the id exists. The
 * root menu receives and stores the login once the PIN is accepted and, if it was temporary, replaced.
 */
import { assign, sendParent, sendTo, setup } from "xstate";
import { readCustomerId, SKIP_KEY } from "../input/typed-input.ts";
import type { Caller, Customer, Login } from "../ports.ts";
import { line, menu, NAME_WIDTH, option, prompt, type Screen } from "../screen/screen.ts";
import { cut, printableLine } from "../texts/characters.ts";
import { fill, type Dictionary } from "../texts/dictionary.ts";
import { createChangePinMachine } from "./change-pin.ts";
import type { Effects } from "./effects.ts";
import { chose, menuTransitions, menuTypes, outcomeActions, typed, type WithMessage } from "./menu.ts";
import {
  isLoginPin,
  pinCheckActor,
  pinCheckStates,
  type Checked,
  type LockedOutput,
  type PinChecked,
} from "./pin-check.ts";

/** The key that is printed for OK; any other key except exit has the same effect. */
const CONTINUE_KEY = "1";
/** On the screen that shows a forgotten id. */
const LOG_IN_KEY = "1";

interface LoginInput extends WithMessage {
  readonly caller: Caller;
  /** Key for the change of a temporary PIN. */
  readonly changeKey: string;
}

type LoginOutput = { readonly event: "DONE" | "BACK" | "LOGGED_OUT" } | LockedOutput;

/** Sent to the parent while OK is shown. */
export interface LoginSuccess {
  readonly type: "LOGIN_SUCCESS";
  readonly login: Login;
  readonly customer: Customer;
}

interface LoginContext extends LoginInput {
  readonly customerId: string;
  /** An input that is not an id was refused, so the caller is offered help. */
  readonly offersHelp: boolean;
  readonly granted: { readonly login: Login; readonly customer: Customer } | null;
  readonly outcome: LoginOutput;
}

function customerIdScreen({ texts }: Dictionary, { offersHelp }: LoginContext): Screen {
  const help = offersHelp ? [option(SKIP_KEY, texts.forgotCustomerId)] : [];
  return prompt("L", [line(texts.customerIdPrompt), ...help]);
}

function recoveryScreen({ texts }: Dictionary): Screen {
  return prompt("FP", [line(texts.recoveryPrompt)]);
}

function recoveredScreen({ texts }: Dictionary, { customerId }: LoginContext): Screen {
  const vital = line(fill(texts.yourCustomerId, { id: customerId }));
  return menu("FI", [vital, option(LOG_IN_KEY, texts.logIn)], { vital });
}

function pinScreen({ texts }: Dictionary): Screen {
  return prompt("Q", [line(texts.pinPrompt)]);
}

function successScreen({ texts }: Dictionary, { customerId, granted }: LoginContext): Screen {
  const name = cut(printableLine(granted?.customer.name ?? ""), NAME_WIDTH);
  const done = [line(fill(texts.loginDone, { id: customerId })), option(CONTINUE_KEY, texts.continue)];
  // A name in a non-GSM script halves the screen, so it is dropped first.
  return menu("OK", [line(fill(texts.loginWelcome, { name })), ...done], { compact: done, informs: true });
}

const pin = pinCheckStates({
  entry: "pinEntry",
  checking: "verifying",
  screen: pinScreen,
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
  wrong: "wrongLogin",
  request: ({ caller, customerId }: LoginContext) => ({ caller, customerId, purpose: "login" }),
});

/** The number replaces the id: the port finds its only account. */
const recovery = pinCheckStates({
  entry: "recoveryEntry",
  checking: "recovering",
  screen: recoveryScreen,
  back: "customerIdEntry",
  accepted: [
    {
      guard: ({ event }: Checked) => event.output.state === "found",
      target: "recovered",
      actions: { type: "keepId", params: ({ event }: Checked) => event.output },
    },
  ],
  wrong: "wrongRecovery",
  request: ({ caller }: LoginContext) => ({ caller, purpose: "recover-id" }),
});

/** An input that is not an id. */
const refusals = {
  format: { actions: ["offerHelp", { type: "showMessage", params: { key: "customerIdFormat" } }] },
  empty: { actions: ["offerHelp", { type: "showMessage", params: { key: "empty" } }] },
  tooLong: { actions: ["offerHelp", { type: "showMessage", params: { key: "tooLong" } }] },
} as const;

export function createLoginMachine(effects: Pick<Effects, "logIn" | "preparePin" | "confirmPin" | "changePin">) {
  return setup({
    types: menuTypes<{
      context: LoginContext;
      input: LoginInput;
      output: LoginOutput;
      children: { newPin: "newPin" };
    }>(),
    actors: {
      verify: pinCheckActor(effects),
      newPin: createChangePinMachine(effects),
    },
    actions: {
      ...outcomeActions<LoginContext>(),
      grant: assign((_, outcome: PinChecked) =>
        outcome.state === "accepted" ? { granted: { login: outcome.login, customer: outcome.customer } } : {},
      ),
      keepId: assign((_, outcome: PinChecked) => (outcome.state === "found" ? { customerId: outcome.customerId } : {})),
      offerHelp: assign({ offersHelp: true }),
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
    context: ({ input }) => ({
      ...input,
      customerId: "",
      offersHelp: false,
      granted: null,
      outcome: { event: "BACK" },
    }),
    initial: "customerIdEntry",
    on: menuTransitions,
    states: {
      customerIdEntry: {
        meta: { input: "customer-id", screen: customerIdScreen },
        on: {
          ENTER: [
            {
              guard: "isCustomerId",
              target: "pinEntry",
              actions: assign({ customerId: ({ event }) => event.value.toUpperCase() }),
            },
            refusals.format,
          ],
          EMPTY: refusals.empty,
          TOO_LONG: refusals.tooLong,
          SKIP: "recoveryEntry",
          BACK: "done",
        },
      },
      recoveryEntry: recovery.entry,
      recovering: recovery.checking,
      recovered: {
        meta: { input: "menu", screen: recoveredScreen },
        on: { ENTER: { guard: { type: "chose", params: LOG_IN_KEY }, target: "pinEntry" }, BACK: "customerIdEntry" },
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
            message: { key: "setNewPin" },
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
        meta: { input: "menu", screen: successScreen },
        entry: ["report", { type: "end", params: { event: "DONE" } }],
        on: { ENTER: "done", BACK: "done", EMPTY: "done", TOO_LONG: "done", SKIP: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
