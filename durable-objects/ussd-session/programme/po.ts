/** The texts of a menu file as a PO file (gettext), for translators: one entry per text, with the default language as `msgid`. */
import { failure, success, type Result } from "../../../platform/result.ts";
import type { MenuFile } from "./menu-file.ts";
import { textsOf } from "./used-texts.ts";

export function writePo(file: MenuFile, language: string): string {
  const [first = ""] = file.languages;
  const screens = new Map<string, string[]>();
  for (const [name, screen] of Object.entries(file.screens))
    for (const { text } of textsOf(name, screen)) screens.set(text, [...(screens.get(text) ?? []), name]);
  const header = [
    `Project-Id-Version: ${file.programme}\n`,
    `Language: ${language}\n`,
    "MIME-Version: 1.0\n",
    "Content-Type: text/plain; charset=UTF-8\n",
    "Content-Transfer-Encoding: 8bit\n",
  ];
  const entries = Object.entries(file.texts).map(([name, texts]) =>
    [
      `#. ${[...new Set(screens.get(name))].join(", ")}`,
      `msgctxt ${quoted(name)}`,
      `msgid ${quoted(texts[first] ?? "")}`,
      `msgstr ${quoted(texts[language] ?? "")}`,
      "",
    ].join("\n"),
  );
  return `msgid ""\nmsgstr ""\n${header.map(quoted).join("\n")}\n\n${entries.join("\n")}`;
}

function quoted(text: string): string {
  return `"${text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("\n", String.raw`\n`)}"`;
}

export interface PoFile {
  readonly language: string;
  readonly entries: readonly PoEntry[];
}

export interface PoEntry {
  /** The text's name. */
  readonly context: string;
  readonly source: string;
  readonly translation: string;
  /** The translator has marked it as unsure, or has not written it. */
  readonly isOpen: boolean;
}

/** Maximum UTF-16 units and entries of a PO file. */
const PO_LENGTH = 1024 * 1024;
const MOST_ENTRIES = 2_001;

const FIELD = /^(msgctxt|msgid|msgstr)\s+(".*")$/;
const CONTINUED = /^".*"$/;

/** An error names the line. */
export function readPo(source: string): Result<PoFile, string> {
  if (source.length > PO_LENGTH) return failure(`the PO file may have at most ${PO_LENGTH} characters`);
  const read: (Record<string, string> & { fuzzy?: string })[] = [];
  let entry: Record<string, string> = {};
  let field = "";
  const close = (): void => {
    if ("msgid" in entry) read.push(entry);
    [entry, field] = [{}, ""];
  };
  for (const [index, raw] of source
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === "") close();
    else if (line.startsWith("#")) {
      if ("msgstr" in entry) close();
      if (line.startsWith("#,") && line.includes("fuzzy")) entry["fuzzy"] = "yes";
    } else {
      const [, name, text] = FIELD.exec(line) ?? [];
      const value = unquoted(text ?? (CONTINUED.test(line) ? line : ""));
      if (value === undefined || (name === undefined && field === ""))
        return failure(`line ${index + 1}: write msgctxt, msgid or msgstr and a text in quotes`);
      if (name !== undefined && name in entry) close();
      if (name !== undefined) field = name;
      entry[field] = (entry[field] ?? "") + value;
    }
    if (read.length > MOST_ENTRIES) return failure(`the PO file may have at most ${MOST_ENTRIES} entries`);
  }
  close();
  const header = read.find(({ msgid, msgctxt }) => msgid === "" && msgctxt === undefined)?.["msgstr"] ?? "";
  const language = /^Language:\s*([a-z]{2,3})\s*$/m.exec(header)?.[1];
  if (language === undefined) return failure("the header needs a line such as Language: sw");
  const entries = read.flatMap(({ msgctxt, msgid = "", msgstr = "", fuzzy }) =>
    msgctxt === undefined
      ? []
      : [{ context: msgctxt, source: msgid, translation: msgstr, isOpen: fuzzy !== undefined || msgstr === "" }],
  );
  return success({ language, entries });
}

function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  if (text.length < 2 || !/^(?:[^"\\]|\\["\\nt])*$/.test(inner)) return undefined;
  return inner.replaceAll(/\\(.)/g, (_, escape: string) => (escape === "n" ? "\n" : escape === "t" ? " " : escape));
}
