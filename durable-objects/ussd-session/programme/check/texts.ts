/** Every text exists in every language, with known placeholders and the same ones in each; no text asks for a PIN as data. */
import { septetsOf } from "../../../../shared/gsm7.ts";
import { foldToGsm7 } from "../../texts/characters.ts";
import { BUILT_IN_WIDTHS, LOGIN_VALUES, OPTIONAL_VALUES } from "../built-in-values.ts";
import { isSeen } from "../file-screen.ts";
import { SHORT_LENGTH, type MenuFile } from "../menu-file.ts";
import { isBuiltIn } from "../build-programme.ts";
import { allNames, neededNames, parseTemplate, type Template } from "../template.ts";
import { textsOf, type TextUse } from "../used-texts.ts";
import { knownOnArrival } from "./paths.ts";
import type { Report } from "./report.ts";

export function checkTexts(file: MenuFile, report: Report): void {
  const uses = Object.entries(file.screens).flatMap(([screen, member]) => textsOf(screen, member));
  const used = new Set(uses.map(({ text }) => text));
  const texts = new Map(Object.entries(file.texts));
  for (const { screen, text, path } of uses)
    if (!texts.has(text)) report(path, `uses the text "${text}", which does not exist`, { screen });
  for (const [name, byLanguage] of texts) {
    if (!used.has(name)) report(["texts", name], `no screen uses the text "${name}"`);
    checkLanguages(file, name, byLanguage, report);
  }
  checkPhrases(file, report);
  checkKnown(file, uses, report);
  checkNoPin(file, uses, report);
}

function checkLanguages(
  file: MenuFile,
  name: string,
  byLanguage: Readonly<Record<string, string>>,
  report: Report,
): void {
  const first = templateIn(byLanguage[file.languages[0] ?? ""]);
  const expected = first === undefined ? undefined : new Set(allNames(first));
  for (const language of file.languages)
    if (!Object.hasOwn(byLanguage, language)) report(["texts", name], `the text "${name}" is missing`, { language });
  for (const [language, text] of Object.entries(byLanguage)) {
    const path = ["texts", name, language];
    if (!file.languages.includes(language)) {
      report(path, `the text "${name}" has a language that the file does not list`, { language });
      continue;
    }
    const read = parseTemplate(text);
    if (!read.ok) report(path, `the text "${name}" ${read.error}`, { language });
    else {
      const names = new Set(allNames(read.value));
      for (const placeholder of names)
        if (!isDeclared(file, placeholder))
          report(path, `the text "${name}" uses {${placeholder}}, which is not a value`, { language });
      const lost = [...(expected ?? [])].find((placeholder) => !names.has(placeholder));
      if (lost !== undefined) report(path, `the text "${name}" lacks {${lost}}`, { language });
    }
  }
}

function templateIn(text: string | undefined): Template | undefined {
  const read = text === undefined ? undefined : parseTemplate(text);
  return read?.ok ? read.value : undefined;
}

function isDeclared({ values = {} }: MenuFile, name: string): boolean {
  return Object.hasOwn(values, name) || BUILT_IN_WIDTHS.has(name);
}

function checkPhrases(file: MenuFile, report: Report): void {
  for (const [index, language] of file.languages.entries()) {
    if (file.languages.indexOf(language) !== index) report(["languages", index], "repeats a language", { language });
    if (!isBuiltIn(language) && !Object.hasOwn(file.phrases ?? {}, language))
      report(["languages", index], "the gateway has no texts in it: write them below phrases", { language });
  }
  for (const [language, { messages }] of Object.entries(file.phrases ?? {})) {
    if (!file.languages.includes(language))
      report(["phrases", language], "has a language that the file does not list", { language });
    for (const [name, { short }] of Object.entries(messages)) {
      const width = septetsOf(foldToGsm7(short)) ?? short.length;
      if (width > SHORT_LENGTH)
        report(["phrases", language, "messages", name, "short"], `has ${width} of ${SHORT_LENGTH} septets`, {
          language,
          count: width,
        });
    }
  }
}

/** A screen shows a value only after it is set, and a person's data only while they are logged in. */
function checkKnown(file: MenuFile, uses: readonly TextUse[], report: Report): void {
  const known = knownOnArrival(file);
  for (const { screen, text, path } of uses) {
    const here = known.get(screen);
    const wordings = Object.hasOwn(file.texts, text) ? Object.values(file.texts[text] ?? {}) : [];
    const needed = new Set(wordings.flatMap((wording) => neededNames(templateIn(wording) ?? [])));
    if (here === undefined) continue;
    const member = file.screens[screen];
    const login = member !== undefined && isSeen(member) && member.login === true;
    for (const name of needed) {
      if (Object.hasOwn(file.values ?? {}, name)) {
        if (!here.set.has(name)) report(path, `shows {${name}}, which is not set on every way here`, { screen });
      } else if (OPTIONAL_VALUES.has(name))
        report(path, `shows {${name}}, which may be missing: write {${name}?a text without it}`, { screen });
      else if (LOGIN_VALUES.has(name) && !login)
        report(path, `shows {${name}}, which only a screen with login: true has`, { screen });
    }
  }
}

/** The word in the languages of the gateway, and in most others. */
const PIN = /(?<![\p{L}\d])(?:PINs?|P\.I\.N\.?)(?![\p{L}\d])/iu;

function checkNoPin(file: MenuFile, uses: readonly TextUse[], report: Report): void {
  for (const name of Object.keys(file.values ?? {}))
    if (/^pin$/i.test(name)) report(["values", name], "a PIN is never a value: use ask: pin");
  for (const name of BUILT_IN_WIDTHS.keys())
    if (Object.hasOwn(file.values ?? {}, name)) report(["values", name], `{${name}} belongs to the gateway`);
  for (const { screen, text, path } of uses) {
    const member = file.screens[screen];
    if (member === undefined || !("ask" in member) || member.ask === "pin" || member.ask === "choice") continue;
    const language = file.languages.find((each) => PIN.test(file.texts[text]?.[each] ?? ""));
    if (language !== undefined) report(path, "asks for a PIN as data: use ask: pin", { screen, language });
  }
}
