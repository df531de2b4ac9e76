/** Plain text as CommonMark that shows it and does nothing else: no link, no heading, no HTML, in any renderer. */

/** What ASCII has of punctuation; each may have a backslash before it (CommonMark 2.4). */
const PUNCTUATION = /[!-/:-@[-`{-~]/g;
/** HTML's own go as entities, for renderers that know no backslash. */
const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };
const SPACE_OR_CONTROL = /[\s\p{Cc}\p{Cf}\u2028\u2029]+/gu;

/** On one line. */
export function markdownText(text: string): string {
  return text
    .replaceAll(SPACE_OR_CONTROL, " ")
    .trim()
    .replaceAll(PUNCTUATION, (character) => entities[character] ?? `\\${character}`);
}
