/**
 * Creating an account: name, e-mail, a PIN twice, the new customer id (contract/ussd.md section 5.6). Name and e-mail can
 * be gone on with after a dropped call; the PIN exists only as a sealed hash between its two entries.
 */
import { assign, fromPromise, setup } from "xstate";
import type { CreationDraft } from "../draft.ts";
import type { Effects } from "../effects.ts";
import { readEmail, readName } from "../input/entries.ts";
import type { Notice } from "../i18n/dictionary.ts";
import type { Language } from "../i18n/languages.ts";
import type { Caller, CreationOutcome, NewAccount } from "../ports.ts";
import {
  accountCreatedScreen,
  confirmAccountPinScreen,
  creatingAccountScreen,
  emailScreen,
  nameScreen,
  newAccountPinScreen,
} from "../screens/account-creation.ts";
import { waitScreen } from "../screens/services.ts";
import { isNewPin, newPinActors, newPinStates } from "./new-pin.ts";
import { chose, everyStep, machineTypes, typed, whileWaiting, type Noticed, type PhoneEvent } from "./phone-event.ts";
import type { Steps } from "./step.ts";

export interface CreationInput {
  readonly caller: Caller;
  readonly language: Language;
  /** The same key again is the same account. */
  readonly creationKey: string;
  readonly draft: CreationDraft | null;
}

export interface CreationOutput {
  readonly event: "ACCOUNT_CREATED" | "BACK";
  readonly notice?: Notice;
}

interface CreationContext extends CreationInput, Noticed {
  readonly name: string;
  readonly email: string | null;
  readonly sealed: string;
  readonly customerId: string;
  readonly outcome: CreationOutput;
}

export const creationSteps: Steps<CreationContext> = {
  nameEntry: { takes: "name", screen: (dictionary, _, { app }) => nameScreen(dictionary, { app }) },
  emailEntry: { takes: "email", screen: emailScreen },
  pinEntry: { takes: "pin", screen: newAccountPinScreen },
  judgingPin: { takes: "menu", screen: waitScreen },
  confirmPin: { takes: "pin", screen: confirmAccountPinScreen },
  comparingPins: { takes: "menu", screen: waitScreen },
  creatingAccount: { takes: "menu", screen: creatingAccountScreen },
  accountCreationSuccess: { takes: "menu", screen: accountCreatedScreen },
};

/** What there is to go on with after this state; nothing before the first typed value and after the account exists. */
export function creationDraft(state: string, { name, email, creationKey }: CreationContext): CreationDraft | null {
  if (state === "nameEntry" || state === "accountCreationSuccess" || name === "") return null;
  return { kind: "creation", step: state === "emailEntry" ? "emailEntry" : "pinEntry", name, email, creationKey };
}

const pin = newPinStates({
  entry: "pinEntry",
  judging: "judgingPin",
  confirm: "confirmPin",
  comparing: "comparingPins",
  chosen: "creatingAccount",
  back: "emailEntry",
  request: ({ caller, creationKey }: CreationContext) => ({ caller, effectKey: creationKey }),
});

type CreationEffects = Pick<Effects, "preparePin" | "confirmPin" | "createAccount">;

export function createAccountCreationMachine(effects: CreationEffects) {
  return setup({
    types: machineTypes as {
      context: CreationContext;
      input: CreationInput;
      events: PhoneEvent;
      output: CreationOutput;
      tags: "pending";
    },
    actors: {
      ...newPinActors(effects),
      create: fromPromise<CreationOutcome, NewAccount>(({ input }) => effects.createAccount(input)),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: CreationOutput) => ({ outcome })),
      keepPin: assign((_, sealed: string) => ({ sealed })),
    },
    guards: {
      chose,
      isName: ({ event }) => readName(typed(event)).ok,
      isEmail: ({ event }) => readEmail(typed(event)).ok,
      isNewPin,
      resumesAt: ({ context }, step: CreationDraft["step"]) => context.draft?.step === step,
    },
  }).createMachine({
    id: "accountCreation",
    context: ({ input }) => ({
      ...input,
      // The account may exist already: its answer was lost with the call.
      creationKey: input.draft?.creationKey ?? input.creationKey,
      name: input.draft?.name ?? "",
      email: input.draft?.email ?? null,
      sealed: "",
      customerId: "",
      outcome: { event: "BACK" },
    }),
    initial: "start",
    on: everyStep,
    states: {
      start: {
        always: [
          { guard: { type: "resumesAt", params: "pinEntry" }, target: "pinEntry" },
          { guard: { type: "resumesAt", params: "emailEntry" }, target: "emailEntry" },
          { target: "nameEntry" },
        ],
      },
      nameEntry: {
        on: {
          ENTER: [
            { guard: "isName", target: "emailEntry", actions: assign({ name: ({ event }) => event.value }) },
            { actions: { type: "tell", params: { reason: "nameFormat" } } },
          ],
          BACK: "done",
        },
      },
      emailEntry: {
        on: {
          ENTER: [
            { guard: "isEmail", target: "pinEntry", actions: assign({ email: ({ event }) => event.value }) },
            { actions: { type: "tell", params: { reason: "emailFormat" } } },
          ],
          SKIP: { target: "pinEntry", actions: assign({ email: null }) },
          BACK: "nameEntry",
        },
      },
      pinEntry: pin.entry,
      judgingPin: pin.judging,
      confirmPin: pin.confirm,
      comparingPins: pin.comparing,
      creatingAccount: {
        tags: "pending",
        invoke: {
          src: "create",
          input: ({ context: { caller, creationKey, draft, name, email, language, sealed } }) => ({
            caller,
            creationKey,
            name,
            email,
            language,
            sealedPin: sealed,
            resumed: draft !== null,
          }),
          onDone: [
            {
              guard: ({ event }) => event.output.state === "created",
              target: "accountCreationSuccess",
              actions: assign({
                customerId: ({ event }) => (event.output.state === "created" ? event.output.customerId : ""),
              }),
            },
            {
              target: "done",
              actions: { type: "end", params: { event: "BACK", notice: { reason: "tooManyAccounts" } } },
            },
          ],
        },
        // There is no way back from here: the account comes about.
        on: { ...whileWaiting, BACK: { actions: { type: "tell", params: { reason: "invalidSelection" } } } },
      },
      accountCreationSuccess: {
        entry: { type: "end", params: { event: "ACCOUNT_CREATED" } },
        on: { ENTER: "done", BACK: "done", EMPTY: "done", TOO_LONG: "done", SKIP: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
