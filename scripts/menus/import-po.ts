/** Writes the translations of a PO file into the text of a menu file. Comments and the order of the file stay. */
import { isMap, parseDocument } from "yaml";
import { failure, success, type Result } from "../../platform/result.ts";
import { faultLine } from "../../durable-objects/ussd-session/programme/faults.ts";
import { readPo } from "../../durable-objects/ussd-session/programme/po.ts";
import { readMenuFile } from "../../durable-objects/ussd-session/programme/read-menu-file.ts";

export interface Imported {
  readonly text: string;
  readonly language: string;
  readonly translated: number;
  /** Entries without a translation, and those that the translator has marked as unsure. */
  readonly open: number;
  /** Names of texts whose original differs from that in the PO file. They are not written. */
  readonly stale: readonly string[];
}

export function withTranslations(source: string, po: string): Result<Imported, string> {
  const menu = readMenuFile(source);
  if (!menu.ok) return failure(menu.error.map(faultLine).join("\n"));
  const read = readPo(po);
  if (!read.ok) return read;
  const { file } = menu.value;
  const { language, entries } = read.value;
  const [first = ""] = file.languages;
  if (language === first) return failure(`${language} is the original; change it in the menu file`);
  const isJson = source.trimStart().startsWith("{");
  // The file was read safely before; here its form is kept.
  const document = parseDocument(source, { schema: "failsafe" });
  if (!file.languages.includes(language)) document.addIn(["languages"], language);
  const stale: string[] = [];
  let [translated, open] = [0, 0];
  for (const { context, source, translation, isOpen } of entries) {
    const own = Object.hasOwn(file.texts, context) ? file.texts[context] : undefined;
    if (own === undefined || own[first] !== source) stale.push(context);
    else if (isOpen) open += 1;
    else {
      const texts = document.getIn(["texts", context]);
      if (!isMap(texts)) continue;
      const value = document.createNode(translation);
      value.type = "QUOTE_DOUBLE";
      texts.set(language, value);
      translated += 1;
    }
  }
  const text = isJson
    ? `${JSON.stringify(jsonOf(source, document.toJS()), null, 2)}\n`
    : document.toString({ lineWidth: 0 });
  return success({ text, language, translated, open, stale });
}

/** The JSON of the source with the new languages and texts, so that its numbers stay numbers. */
function jsonOf(source: string, changed: unknown): unknown {
  const { languages, texts } = changed as { readonly languages: unknown; readonly texts: unknown };
  return { ...(JSON.parse(source) as object), languages, texts };
}
