/**
 * Creating an account: name, e-mail, a PIN twice, the new customer id. After a dropped call the caller can continue with name and
 * e-mail; the PIN exists only as a sealed hash between its two entries.
 */
import { assign, setup } from "xstate";
import { readEmail, readName, SKIP_KEY } from "../input/typed-input.ts";
import type { Caller } from "../ports.ts";
import type { CreatedDraft, CreationDraft } from "../rpc.ts";
import { line, menu, option, prompt, type Screen } from "../screen/screen.ts";
import { fill, type Dictionary, type Language, type Message } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import {
  chose,
  effect,
  menuTransitions,
  menuTypes,
  outcomeActions,
  typed,
  whileWaiting,
  type ScreenSettings,
  type WithMessage,
} from "./menu.ts";
import { isNewPin, newPinActors, newPinStates } from "./new-pin.ts";

const KEYS = { viewCustomerId: "1", accountMenu: "1" } as const;

interface CreationInput {
  readonly caller: Caller;
  readonly language: Language;
  /** A repeated key returns the account that it created. */
  readonly creationKey: string;
  readonly draft: CreationDraft | CreatedDraft | null;
}

interface CreationOutput {
  /** `SHOWN_AGAIN`: the account of an earlier call, whose Customer ID has now been shown. */
  readonly event: "ACCOUNT_CREATED" | "SHOWN_AGAIN" | "BACK";
  readonly message?: Message;
}

interface CreationContext extends CreationInput, WithMessage {
  readonly name: string;
  readonly email: string | null;
  readonly sealed: string;
  readonly customerId: string;
  readonly outcome: CreationOutput;
}

function nameScreen({ texts }: Dictionary, _: CreationContext, { app }: ScreenSettings): Screen {
  return prompt("N", [line(fill(texts.welcome, { app })), line(texts.namePrompt)]);
}

function emailScreen({ texts }: Dictionary): Screen {
  return prompt("E", [line(texts.emailPrompt), option(SKIP_KEY, texts.skip)]);
}

function pinScreen({ texts }: Dictionary): Screen {
  return prompt("P", [line(texts.createPinPrompt)]);
}

function confirmPinScreen({ texts }: Dictionary): Screen {
  return prompt("C", [line(texts.confirmPinPrompt)]);
}

/** Only if creating the account takes longer than a reply allows. */
function creatingScreen({ texts }: Dictionary): Screen {
  return menu("G", [line(texts.creating), option(KEYS.viewCustomerId, texts.viewCustomerId)], { back: false });
}

function createdScreen({ texts }: Dictionary, { customerId }: CreationContext): Screen {
  const vital = line(fill(texts.yourCustomerId, { id: customerId }));
  const blocks = [
    line(texts.created),
    vital,
    line(texts.saveCustomerId),
    option(KEYS.accountMenu, texts.backToAccountMenu),
  ];
  return menu("K", blocks, { back: false, vital });
}

/**
 * The draft that the caller can continue with: none before the first typed value; once the account exists, the screen
 * with its Customer ID, until an input has answered it.
 */
export function creationDraft(state: string, context: CreationContext): CreationDraft | CreatedDraft | null {
  const { name, email, creationKey, customerId } = context;
  if (state === "accountCreationSuccess") return { kind: "created", customerId };
  if (state === "nameEntry" || name === "") return null;
  return { kind: "creation", step: state === "emailEntry" ? "emailEntry" : "pinEntry", name, email, creationKey };
}

/** The form with which a caller continues. */
function formOf({ draft }: Pick<CreationInput, "draft">): CreationDraft | null {
  return draft?.kind === "creation" ? draft : null;
}

const pin = newPinStates({
  entry: "pinEntry",
  checking: "judgingPin",
  confirm: "confirmPin",
  comparing: "comparingPins",
  screens: { entry: pinScreen, confirm: confirmPinScreen },
  chosen: "creatingAccount",
  back: "emailEntry",
  request: ({ caller, creationKey }: CreationContext) => ({
    phoneNumber: caller.phoneNumber,
    effectKey: creationKey,
  }),
});

type CreationEffects = Pick<Effects, "preparePin" | "confirmPin" | "createAccount">;

export function createAccountCreationMachine(effects: CreationEffects) {
  return setup({
    types: menuTypes<{ context: CreationContext; input: CreationInput; output: CreationOutput }>(),
    actors: {
      ...newPinActors(effects),
      create: effect(effects.createAccount),
    },
    actions: {
      ...outcomeActions<CreationContext>(),
      keepPin: assign((_, sealed: string) => ({ sealed })),
    },
    guards: {
      chose,
      isName: ({ event }) => readName(typed(event)).ok,
      isEmail: ({ event }) => readEmail(typed(event)).ok,
      isNewPin,
      resumesAt: ({ context }, step: CreationDraft["step"]) => formOf(context)?.step === step,
      isCreated: ({ context }) => context.draft?.kind === "created",
    },
  }).createMachine({
    id: "accountCreation",
    context: ({ input }) => ({
      ...input,
      // The account may already exist if its reply was lost with the call.
      creationKey: formOf(input)?.creationKey ?? input.creationKey,
      name: formOf(input)?.name ?? "",
      email: formOf(input)?.email ?? null,
      sealed: "",
      customerId: input.draft?.kind === "created" ? input.draft.customerId : "",
      outcome: { event: "BACK" },
    }),
    initial: "start",
    on: menuTransitions,
    states: {
      start: {
        always: [
          { guard: "isCreated", target: "accountCreationSuccess" },
          { guard: { type: "resumesAt", params: "pinEntry" }, target: "pinEntry" },
          { guard: { type: "resumesAt", params: "emailEntry" }, target: "emailEntry" },
          { target: "nameEntry" },
        ],
      },
      nameEntry: {
        meta: { input: "name", screen: nameScreen },
        on: {
          ENTER: [
            { guard: "isName", target: "emailEntry", actions: assign({ name: ({ event }) => event.value }) },
            { actions: { type: "showMessage", params: { key: "nameFormat" } } },
          ],
          BACK: "done",
        },
      },
      emailEntry: {
        meta: { input: "email", screen: emailScreen },
        on: {
          ENTER: [
            { guard: "isEmail", target: "pinEntry", actions: assign({ email: ({ event }) => event.value }) },
            { actions: { type: "showMessage", params: { key: "emailFormat" } } },
          ],
          SKIP: { target: "pinEntry", actions: assign({ email: null }) },
          BACK: "nameEntry",
        },
      },
      pinEntry: pin.entry,
      judgingPin: pin.checking,
      confirmPin: pin.confirm,
      comparingPins: pin.comparing,
      creatingAccount: {
        tags: "pending",
        meta: { input: "menu", screen: creatingScreen },
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
              actions: [
                assign({
                  customerId: ({ event }) => (event.output.state === "created" ? event.output.customerId : ""),
                }),
                {
                  type: "showMessage",
                  params: ({ event: { output } }) =>
                    output.state === "created" && output.pinKept === true ? { key: "pinKept" } : undefined,
                },
              ],
            },
            {
              target: "done",
              actions: { type: "end", params: { event: "BACK", message: { key: "tooManyAccounts" } } },
            },
          ],
        },
        // From here there is no way back, because the account is being created.
        on: { ...whileWaiting, BACK: { actions: { type: "showMessage", params: { key: "invalidSelection" } } } },
      },
      accountCreationSuccess: {
        meta: { input: "menu", screen: createdScreen },
        entry: {
          type: "end",
          params: ({ context: { draft } }) => ({
            event: draft?.kind === "created" ? "SHOWN_AGAIN" : "ACCOUNT_CREATED",
          }),
        },
        on: { ENTER: "done", BACK: "done", EMPTY: "done", TOO_LONG: "done", SKIP: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
