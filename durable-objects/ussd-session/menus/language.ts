/** Choosing the language, for the customer and for the phone. */
import { assign, setup } from "xstate";
import type { Caller, Login } from "../ports.ts";
import { line, menu, option, type Screen } from "../screen/screen.ts";
import { LANGUAGE_NAMES, LANGUAGES, type Dictionary, type Language } from "../texts/dictionary.ts";
import type { Effects } from "./effects.ts";
import {
  chose,
  effect,
  menuTransitions,
  menuTypes,
  outcomeActions,
  pickedFrom,
  typed,
  waiting,
  whileWaiting,
  type WithMessage,
} from "./menu.ts";

interface LanguageInput {
  readonly caller: Caller;
  readonly login: Login;
}

type LanguageOutput =
  | { readonly event: "DONE" | "LOGGED_OUT" }
  | { readonly event: "LANGUAGE_CHANGED"; readonly language: Language };

interface LanguageContext extends LanguageInput, WithMessage {
  readonly chosen: Language;
  readonly outcome: LanguageOutput;
}

/** Option n is language n of LANGUAGES. */
function languageScreen({ texts }: Dictionary): Screen {
  const languages = LANGUAGES.map((language, index) => option(String(index + 1), LANGUAGE_NAMES[language]));
  return menu("LG", [line(texts.languagePrompt), ...languages]);
}

export function createLanguageMachine(effects: Pick<Effects, "setLanguage">) {
  return setup({
    types: menuTypes<{ context: LanguageContext; input: LanguageInput; output: LanguageOutput }>(),
    actors: { save: effect(effects.setLanguage) },
    actions: outcomeActions<LanguageContext>(),
    guards: { chose, isLanguage: ({ event }) => pickedFrom(LANGUAGES, typed(event)) !== undefined },
  }).createMachine({
    id: "language",
    context: ({ input }) => ({ ...input, chosen: "en", outcome: { event: "DONE" } }),
    initial: "choose",
    on: menuTransitions,
    states: {
      choose: {
        meta: { input: "menu", screen: languageScreen },
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
        ...waiting,
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
