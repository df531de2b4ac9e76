/**
 * The languages that screens exist in, and how a language from a customer, a phone or other data becomes one of them
 * (contract/ussd.md section 6).
 */
import { dictionaryFrom, type Dictionary } from "./dictionary.ts";
import { english } from "./en.ts";
import { french } from "./fr.ts";
import { portuguese } from "./pt.ts";
import { kiswahili } from "./sw.ts";

/** In the order of the language menu. */
export const LANGUAGES = ["en", "sw", "fr", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];

/** As each calls itself, in letters that every phone has. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  sw: "Kiswahili",
  fr: "Francais",
  pt: "Portugues",
};

const ISO_639_3: ReadonlyMap<string, Language> = new Map([
  ["eng", "en"],
  ["swa", "sw"],
  ["fra", "fr"],
  ["por", "pt"],
]);

const dictionaries: Readonly<Record<Language, Dictionary>> = {
  en: dictionaryFrom("en", english),
  sw: dictionaryFrom("sw", kiswahili),
  fr: dictionaryFrom("fr", french),
  pt: dictionaryFrom("pt", portuguese),
};

export function dictionaryOf(language: Language): Dictionary {
  return dictionaries[language];
}

/** Two or three letters, region ignored (`pt-MZ`); undefined when there are no screens in it. */
export function languageOf(code: string): Language | undefined {
  const base = code.toLowerCase().split(/[-_]/u)[0] ?? "";
  return LANGUAGES.find((language) => language === base) ?? ISO_639_3.get(base);
}
