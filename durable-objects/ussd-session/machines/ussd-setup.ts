/**
 * What the parent machine works with (contract/ussd.md section 5.2): its context, its parts, its actions and guards. The
 * states stand in ussd.ts and, for who is logged in, in service-states.ts.
 */
import { assign, sendTo, setup } from "xstate";
import type { Draft, QuestionDraft } from "../draft.ts";
import type { Effects } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Language } from "../i18n/languages.ts";
import type { Caller, Customer, Login } from "../ports.ts";
import { WELCOME_KEYS } from "../screens/welcome.ts";
import { createAccountCreationMachine } from "./account-creation.ts";
import { createAccountMenuMachine } from "./account-menu.ts";
import { createAskOracleMachine } from "./ask-oracle.ts";
import { createChangePinMachine } from "./change-pin.ts";
import { createDomainStatusMachine } from "./domain-status.ts";
import { createKnowMoreMachine } from "./know-more.ts";
import { createLanguageMachine } from "./language.ts";
import { createLoginMachine, type LoginSuccess } from "./login.ts";
import { createMyDomainsMachine } from "./my-domains.ts";
import { chose, machineTypes, type Noticed, type PhoneEvent } from "./phone-event.ts";

export interface UssdInput extends Noticed {
  readonly caller: Caller;
  /** Random, stored before anything happens: the keys of all effects begin with it. */
  readonly seed: string;
  readonly language: Language;
  readonly draft: Draft | null;
  readonly sms: boolean;
  /** How many accounts may still be made from this phone; where it is unknown the creation itself tells. */
  readonly accountsLeft?: number;
}

export interface UssdContext extends UssdInput {
  readonly login: Login | null;
  /** Parts that were entered: each has keys of its own. */
  readonly entered: number;
  /** The login that is under way is to lead to the answer that was left. */
  readonly resuming: boolean;
}

export type UssdEvent = PhoneEvent | { readonly type: "DIAL" | "EXIT" } | LoginSuccess;

/** Another customer's question is not offered. */
export function offeredDraft({ draft, login }: UssdContext): Draft | null {
  const isOthers = draft?.kind === "question" && login !== null && draft.customerId !== login.customerId;
  return isOthers ? null : draft;
}

export function ownQuestion(context: UssdContext): QuestionDraft | null {
  const draft = context.login === null ? null : offeredDraft(context);
  return draft?.kind === "question" ? draft : null;
}

/** Nobody gets here without a login; a call with this one is refused. */
export const NOBODY: Login = { customerId: "", epoch: -1 };

/** What was typed is for the part that the caller is in. */
export const forwarded = {
  ENTER: { actions: "forward" },
  BACK: { actions: "forward" },
  SKIP: { actions: "forward" },
  EMPTY: { actions: "forward" },
  TOO_LONG: { actions: "forward" },
  SHOWN: { actions: ["forget", "forward"] },
} as const;

export function createUssdSetup(effects: Effects) {
  return setup({
    types: machineTypes as { context: UssdContext; input: UssdInput; events: UssdEvent },
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
    },
    actions: {
      tell: assign((_, notice: Notice | undefined) => ({ notice })),
      forget: assign({ notice: undefined }),
      forward: sendTo("part", ({ event }) => event),
      enterPart: assign({ entered: ({ context }) => context.entered + 1 }),
      logIn: assign((_, { login, customer }: { login: Login; customer: Customer }) =>
        customer.language === null ? { login } : { login, language: customer.language },
      ),
      logOut: assign({ login: null }),
      dropLogin: assign({ login: null, notice: { reason: "loginAgain" } as const }),
      forgetCreation: assign({ draft: ({ context: { draft } }) => (draft?.kind === "creation" ? null : draft) }),
      countAccount: assign(({ context: { accountsLeft } }) =>
        accountsLeft === undefined ? {} : { accountsLeft: accountsLeft - 1 },
      ),
    },
    guards: {
      chose,
      choseService: ({ context, event }, key: string) => context.login !== null && chose({ event }, key),
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
