/** What of an answer's Markdown needs a judgement: where its links may lead, how deep it is, and characters that are entities. */

/** The address when it is one of the web or of mail; undefined for any other, such as `javascript:`, and for one of this origin's own. */
export function safeLink(href: string): string | undefined {
  try {
    const { protocol, href: whole } = new URL(href);
    return ["https:", "http:", "mailto:"].includes(protocol) ? whole : undefined;
  } catch {
    return undefined;
  }
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": "\u00a0",
};

/** The entities that models write; others stand as they are. */
export function plainText(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}

/** Quotes and lists inside each other, in one line; and the indentation that as many need over several. */
export const DEEPEST = 25;
const DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){${DEEPEST + 1},}|^[ \t]{${DEEPEST * 5},}\S`,
  "m",
);

/** Text that no person would lay out so: a model that repeats itself, or somebody who wants the page to stop. It stays a text. */
export function isTooDeep(text: string): boolean {
  return DEEP.test(text);
}
