/**
 * A menu file ready to run: maps instead of records, templates instead of texts, a dictionary for each language. It is built once per
 * version and does not change.
 */
import { foldToGsm7 } from "../texts/characters.ts";
import { dictionaryOf, LANGUAGE_NAMES, languageOf, type Dictionary } from "../texts/dictionary.ts";
import type { FileService, MenuFile, Phrases, ValueSpec } from "./menu-file.ts";
import type { FileScreen } from "./screen-schemas.ts";
import { parseTemplate, type Template } from "./template.ts";

export interface Programme {
  readonly id: string;
  readonly languages: readonly string[];
  readonly start: string;
  readonly exit: string | undefined;
  readonly screens: ReadonlyMap<string, FileScreen>;
  readonly values: ReadonlyMap<string, ValueSpec>;
  readonly services: ReadonlyMap<string, FileService>;
  /** By language. */
  readonly wordings: ReadonlyMap<string, Wording>;
}

/** One language of a programme. */
export interface Wording {
  /** The gateway's own texts. A language that only the file has takes those of parts from English. */
  readonly dictionary: Dictionary;
  readonly templates: ReadonlyMap<string, Template>;
}

export function programmeOf(file: MenuFile): Programme {
  const texts = Object.entries(file.texts);
  return {
    id: file.programme,
    languages: file.languages,
    start: file.start,
    exit: file.exit,
    screens: new Map(Object.entries(file.screens)),
    values: new Map(Object.entries(file.values ?? {})),
    services: new Map(Object.entries(file.services ?? {})),
    wordings: new Map(
      file.languages.map((language) => [
        language,
        {
          dictionary: dictionaryIn(language, file.phrases?.[language]),
          templates: new Map(texts.map(([name, byLanguage]) => [name, templateOf(byLanguage[language] ?? "")])),
        },
      ]),
    ),
  };
}

/** Texts are written with accents; characters outside the phone's alphabet are folded, as in the gateway's own texts. */
function templateOf(text: string): Template {
  const read = parseTemplate(foldToGsm7(text));
  return read.ok ? read.value : [text];
}

/** Whether the gateway has its own texts in this language. */
export function isBuiltIn(language: string): boolean {
  return languageOf(language) === language;
}

function dictionaryIn(language: string, phrases: Phrases | undefined): Dictionary {
  const base = dictionaryOf(languageOf(language) ?? "en");
  if (phrases === undefined) return base;
  const { messages, name: _, ...texts } = phrases;
  const folded = (text: string): string => foldToGsm7(text);
  return {
    language,
    verification: base.verification,
    info: base.info,
    notices: base.notices,
    texts: { ...base.texts, ...mapped(texts, folded) },
    messages: {
      ...base.messages,
      ...mapped(messages, ({ long, short }) => ({ long: folded(long), short: folded(short) })),
    },
  };
}

function mapped<Key extends string, Value>(
  entries: Readonly<Record<Key, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<Key, Value>> {
  const pairs = Object.entries<Value>(entries).map(([key, value]) => [key, change(value)]);
  return Object.fromEntries(pairs) as Record<Key, Value>;
}

/** The name of a language in that language. */
export function languageName(file: MenuFile, language: string): string {
  const own = languageOf(language);
  return file.phrases?.[language]?.name ?? (own === undefined ? language : LANGUAGE_NAMES[own]);
}

export function wordingIn({ wordings, languages }: Programme, language: string): Wording {
  const wording = wordings.get(language) ?? wordings.get(languages[0] ?? "");
  if (wording === undefined) throw new Error("a programme has no language");
  return wording;
}

export function screenNamed({ screens }: Programme, name: string): FileScreen {
  const screen = screens.get(name);
  if (screen === undefined) throw new Error("a programme has no such screen");
  return screen;
}
