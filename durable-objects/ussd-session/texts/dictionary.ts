/**
 * The texts of a language, and the function that fills their placeholders. English is the pattern: a language that
 * lacks a key does not compile; one that lacks a placeholder or is too long fails menus/every-screen.test.ts.
 */
import { foldToGsm7 } from "./characters.ts";
import { english } from "./en.ts";
import { french } from "./fr.ts";
import { portuguese } from "./pt.ts";
import { kiswahili } from "./sw.ts";
import type { MessageKey, MessageText, Translation } from "./translation.ts";

/** In the order of the language menu. */
export const LANGUAGES = ["en", "sw", "fr", "pt"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of each language in that language, with letters that every phone has. */
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

/** Two or three letters, region ignored (`pt-MZ`); undefined if there are no screens in the language. */
export function languageOf(code: string): Language | undefined {
  const base = code.toLowerCase().split(/[-_]/u)[0] ?? "";
  return LANGUAGES.find((language) => language === base) ?? ISO_639_3.get(base);
}

/** A translation in the form that a phone shows. */
export interface Dictionary extends Translation {
  readonly language: string;
}

/**
 * A message above a screen, with the values of its placeholders. Plain data, stored with the session until it is shown.
 */
export interface Message {
  readonly key: MessageKey;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Translations are written with accents; characters outside the GSM alphabet are folded for phones. */
function dictionaryFrom(language: string, words: Translation): Dictionary {
  return {
    language,
    texts: folded(words.texts),
    messages: foldedMessages(words.messages),
    verification: folded(words.verification),
    info: folded(words.info),
    notices: folded(words.notices),
  };
}

/**
 * Replaces `{name}` by its value, `{name|one|many}` by the word that fits the number (the first one for 1), and
 * `{name?text}` by the text if there is no value. Any other placeholder without a value remains, which fails a test.
 */
export function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  const chosen = text.replace(OPTIONAL, (_, name: string, otherwise: string) => String(values[name] ?? otherwise));
  return chosen.replace(PLACEHOLDER, (placeholder, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return one === undefined ? String(value) : ((value === 1 ? one : many) ?? "");
  });
}

/** How to reach the operator, for `{support?...}`; empty if no number is configured. */
export function supportValue({ texts }: Dictionary, phone: string | undefined): { readonly support?: string } {
  return phone === undefined ? {} : { support: fill(texts.callSupport, { phone }) };
}

const OPTIONAL = /\{(\w+)\?([^{}]*)\}/g;
const PLACEHOLDER = /\{(\w+)(?:\|([^{}|]*)\|([^{}|]*))?\}/g;

function folded<Key extends string>(entries: Readonly<Record<Key, string>>): Readonly<Record<Key, string>> {
  return mapped(entries, foldToGsm7);
}

function foldedMessages<Key extends string>(
  entries: Readonly<Record<Key, MessageText>>,
): Readonly<Record<Key, MessageText>> {
  return mapped(entries, ({ long, short }) => ({ long: foldToGsm7(long), short: foldToGsm7(short) }));
}

function mapped<Key extends string, Value>(
  entries: Readonly<Record<Key, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<Key, Value>> {
  const pairs = Object.entries<Value>(entries).map(([key, value]) => [key, change(value)]);
  return Object.fromEntries(pairs) as Record<Key, Value>;
}
