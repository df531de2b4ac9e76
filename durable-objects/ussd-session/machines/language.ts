/** Choosing the language, for the customer and for the phone (contract/ussd.md section 5.7). */
import { assign, fromPromise, setup } from "xstate";
import type { Effects } from "../effects.ts";
import type { Notice } from "../i18n/dictionary.ts";
import { LANGUAGES, type Language } from "../i18n/languages.ts";
import type { Caller, Login } from "../ports.ts";
import { waitScreen } from "../screens/services.ts";
import { languageScreen } from "../screens/settings.ts";
import {
  chose,
  everyStep,
  machineTypes,
  pickedFrom,
  typed,
  whileWaiting,
  type Noticed,
  type PhoneEvent,
} from "./phone-event.ts";
import type { Steps } from "./step.ts";

export interface LanguageInput {
  readonly caller: Caller;
  readonly login: Login;
}

export type LanguageOutput =
  | { readonly event: "DONE" | "LOGGED_OUT" }
  | { readonly event: "LANGUAGE_CHANGED"; readonly language: Language };

interface LanguageContext extends LanguageInput, Noticed {
  readonly chosen: Language;
  readonly outcome: LanguageOutput;
}

export const languageSteps: Steps<LanguageContext> = {
  choose: { takes: "menu", screen: languageScreen },
  saving: { takes: "menu", screen: waitScreen },
};

export function createLanguageMachine(effects: Pick<Effects, "setLanguage">) {
  return setup({
    types: machineTypes as {
      context: LanguageContext;
      input: LanguageInput;
      events: PhoneEvent;
      output: LanguageOutput;
      tags: "pending";
    },
    actors: {
      save: fromPromise<boolean, { caller: Caller; login: Login; language: Language }>(({ input }) =>
        effects.setLanguage(input),
      ),
    },
    actions: {
      tell: assign((_, notice: Notice) => ({ notice })),
      forget: assign({ notice: undefined }),
      end: assign((_, outcome: LanguageOutput) => ({ outcome })),
    },
    guards: { chose, isLanguage: ({ event }) => pickedFrom(LANGUAGES, typed(event)) !== undefined },
  }).createMachine({
    id: "language",
    context: ({ input }) => ({ ...input, chosen: "en", outcome: { event: "DONE" } }),
    initial: "choose",
    on: everyStep,
    states: {
      choose: {
        on: {
          ENTER: {
            guard: "isLanguage",
            target: "saving",
            actions: assign({ chosen: ({ context, event }) => pickedFrom(LANGUAGES, event.value) ?? context.chosen }),
          },
          BACK: "done",
        },
      },
      saving: {
        tags: "pending",
        invoke: {
          src: "save",
          input: ({ context: { caller, login, chosen } }) => ({ caller, login, language: chosen }),
          onDone: [
            {
              guard: ({ event }) => event.output,
              target: "done",
              actions: {
                type: "end",
                params: ({ context }) => ({ event: "LANGUAGE_CHANGED", language: context.chosen }),
              },
            },
            { target: "done", actions: { type: "end", params: { event: "LOGGED_OUT" } } },
          ],
        },
        on: { ...whileWaiting, BACK: "done" },
      },
      done: { type: "final" },
    },
    output: ({ context }) => context.outcome,
  });
}
