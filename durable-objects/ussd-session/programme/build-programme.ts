/** Builds a programme from a menu file that has passed its checks. */
import { foldToGsm7 } from "../texts/characters.ts";
import { dictionaryOf, languageOf, type Dictionary } from "../texts/dictionary.ts";
import { isSeen, screenFor, type Facts, type SeenScreen, type Sight } from "./file-screen.ts";
import type { MenuFile, Phrases } from "./menu-file.ts";
import type { Programme, Wording } from "./programme.ts";
import type { EndScreen, FileScreen } from "./screen-schemas.ts";
import { allNames, parseTemplate, type Template } from "./template.ts";
import { textsOf } from "./used-texts.ts";

export function programmeOf(file: MenuFile): Programme {
  const screens = new Map(Object.entries(file.screens));
  return {
    id: file.programme,
    languages: file.languages,
    start: file.start,
    exit: file.exit,
    screens,
    values: new Map(Object.entries(file.values ?? {})),
    services: new Map(Object.entries(file.services ?? {})),
    wordings: new Map(file.languages.map((language) => [language, wordingOf(file, language, screens)])),
  };
}

function wordingOf({ texts, phrases }: MenuFile, language: string, screens: Programme["screens"]): Wording {
  const templates = new Map(
    Object.entries(texts).map(([name, byLanguage]) => [name, templateOf(byLanguage[language] ?? "")]),
  );
  const dictionary = dictionaryIn(language, phrases?.[language]);
  const wording: Wording = { dictionary, templates, fixed: new Map() };
  const fixed = [...screens].flatMap(([name, screen]) =>
    isFixed(name, screen, templates) ? [[name, screenFor(name, screen, sightOfNobody(wording))] as const] : [],
  );
  return { dictionary, templates, fixed: new Map(fixed) };
}

/** No text has a placeholder, and no option a condition. */
function isFixed(name: string, screen: FileScreen, templates: Wording["templates"]): screen is SeenScreen | EndScreen {
  if (!isSeen(screen) && !("end" in screen)) return false;
  const options = "options" in screen ? (screen.options ?? []) : [];
  return (
    options.every(({ when, role }) => when === undefined && role === undefined) &&
    textsOf(name, screen).every(({ text }) => allNames(templates.get(text) ?? []).length === 0)
  );
}

/** A fixed screen reads no value. */
function sightOfNobody(wording: Wording): Sight {
  const facts: Facts = { app: "", person: null, draft: null, sms: false, today: "" };
  return { wording, specs: new Map(), values: {}, facts };
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
