/** PO, PN, PC and LG: changing the PIN and the language (contract/ussd.md section 5.7). */
import type { Dictionary } from "../i18n/dictionary.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../i18n/languages.ts";
import { line, menu, option, prompt, type Screen } from "./screen.ts";

export function currentPinScreen({ texts }: Dictionary): Screen {
  return prompt("PO", [line(texts.currentPinPrompt)]);
}

export function newPinScreen({ texts }: Dictionary): Screen {
  return prompt("PN", [line(texts.newPinPrompt)]);
}

export function confirmNewPinScreen({ texts }: Dictionary): Screen {
  return prompt("PC", [line(texts.confirmNewPinPrompt)]);
}

/** Option n is language n of LANGUAGES. */
export function languageScreen({ texts }: Dictionary): Screen {
  const languages = LANGUAGES.map((language, index) => option(String(index + 1), LANGUAGE_NAMES[language]));
  return menu("LG", [line(texts.languagePrompt), ...languages]);
}
