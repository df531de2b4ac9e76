/**
 * The setup of the root menu: its context, child menus, actions and guards. Its states are in root-menu.ts and, for
 * callers who are logged in, in services-menu.ts.
 */
import { assign, sendTo, setup } from "xstate";
import type { Caller, Customer, Login } from "../ports.ts";
import type { Draft, QuestionDraft } from "../rpc.ts";
import type { Language } from "../texts/dictionary.ts";
import { createAccountCreationMachine } from "./account-creation.ts";
import { createAccountMenuMachine } from "./account-menu.ts";
import { createAskOracleMachine } from "./ask-oracle.ts";
import { createChangePinMachine } from "./change-pin.ts";
import { createDomainStatusMachine } from "./domain-status.ts";
import type { Effects } from "./effects.ts";
import { createKnowMoreMachine } from "./know-more.ts";
import { createLanguageMachine } from "./language.ts";
import { createLoginMachine, type LoginSuccess } from "./login.ts";
import { chose, effect, menuActions, menuTypes, type PhoneEvent, type WithMessage } from "./menu.ts";
import { createMyDomainsMachine } from "./my-domains.ts";

export interface RootInput extends WithMessage {
  readonly caller: Caller;
  /** Random, and stored before anything happens: the prefix of the keys of all effects. */
  readonly seed: string;
  readonly language: Language;
  readonly draft: Draft | null;
  readonly sms: boolean;
  /** How many accounts can still be created from this phone; if unknown, the creation itself checks. */
  readonly accountsLeft?: number;
}

export interface RootContext extends RootInput {
  readonly login: Login | null;
  /** How many child menus were entered: each has its own keys. */
  readonly entered: number;
  /** The current login should lead to the answer that the caller left. */
  readonly resuming: boolean;
}

export type RootEvent =
  | PhoneEvent
  | { readonly type: "DIAL" | "EXIT" }
  /** The login was revoked elsewhere: by a change of the PIN on another phone, or by an operator. */
  | { readonly type: "REVOKED" }
  | LoginSuccess;

export const WELCOME_KEYS = { knowMore: "1", accountMenu: "2", services: "3", resume: "9" } as const;

/** Another customer's question is not offered, and a new Customer ID is shown rather than offered. */
export function offeredDraft({ draft, login }: RootContext): Draft | null {
  if (draft?.kind === "created") return null;
  const isOthers = draft?.kind === "question" && login !== null && draft.customerId !== login.customerId;
  return isOthers ? null : draft;
}

export function ownQuestion(context: RootContext): QuestionDraft | null {
  const draft = context.login === null ? null : offeredDraft(context);
  return draft?.kind === "question" ? draft : null;
}

/** No service is reached without a login; a call with this login is rejected. */
export const NOBODY: Login = { customerId: "", epoch: -1 };

/** Every state with a child menu: the input is for that menu. */
export const childMenu = {
  entry: "enterChild",
  on: {
    ENTER: { actions: "forward" },
    BACK: { actions: "forward" },
    SKIP: { actions: "forward" },
    EMPTY: { actions: "forward" },
    TOO_LONG: { actions: "forward" },
    SHOWN: { actions: ["clearMessage", "forward"] },
  },
} as const;

export function createRootSetup(effects: Effects) {
  return setup({
    types: menuTypes<{ context: RootContext; input: RootInput; events: RootEvent }>(),
    actors: {
      knowMoreService: createKnowMoreMachine(effects),
      accountMenu: createAccountMenuMachine(),
      login: createLoginMachine(effects),
      accountCreation: createAccountCreationMachine(effects),
      myDomains: createMyDomainsMachine(effects),
      domainStatus: createDomainStatusMachine(effects),
      askOracle: createAskOracleMachine(effects),
      changePin: createChangePinMachine(effects),
      language: createLanguageMachine(effects),
      checkLogin: effect(effects.checkLogin),
    },
    actions: {
      ...menuActions<RootContext, RootEvent>(),
      forward: sendTo("child", ({ event }) => event),
      enterChild: assign({ entered: ({ context }) => context.entered + 1 }),
      logIn: assign((_, { login, customer }: { login: Login; customer: Customer }) =>
        customer.language === null ? { login } : { login, language: customer.language },
      ),
      logOut: assign({ login: null }),
      dropLogin: assign({ login: null, message: { key: "loginAgain" } as const }),
      forgetCreation: assign({ draft: ({ context: { draft } }) => (draft?.kind === "question" ? draft : null) }),
      countAccount: assign(({ context: { accountsLeft } }) =>
        accountsLeft === undefined ? {} : { accountsLeft: accountsLeft - 1 },
      ),
    },
    guards: {
      chose,
      choseService: ({ context, event }, key: string) => context.login !== null && chose({ event }, key),
      hasNewAccount: ({ context }) => context.draft?.kind === "created",
      resumesAccount: ({ context, event }) =>
        chose({ event }, WELCOME_KEYS.resume) && offeredDraft(context)?.kind === "creation",
      resumesQuestion: ({ context, event }) => chose({ event }, WELCOME_KEYS.resume) && ownQuestion(context) !== null,
      resumesAfterLogin: ({ context, event }) =>
        chose({ event }, WELCOME_KEYS.resume) && offeredDraft(context)?.kind === "question",
      leavesForm: ({ context, event }, key: string) =>
        context.login !== null && chose({ event }, key) && context.draft?.kind === "creation",
      reachesAnswer: ({ context }) => context.resuming && ownQuestion(context) !== null,
    },
  });
}
