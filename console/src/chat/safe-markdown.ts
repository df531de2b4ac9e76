/** The parts of Markdown that need a check: targets of links, nesting depth, and entities. */

/** The address if it is on the web or mail; undefined for any other, such as `javascript:`, and for this origin's own addresses. */
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

/** The entities that models write; others are unchanged. */
export function plainText(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity);
}

/** Maximum nesting of quotes and lists on one line, and the equivalent indentation over several lines. */
export const DEEPEST = 25;
const DEEP = new RegExp(
  String.raw`^(?:[ \t]*(?:>|[*+-][ \t]|\d{1,9}[.)][ \t])){${DEEPEST + 1},}|^[ \t]{${DEEPEST * 5},}\S`,
  "m",
);

/** A text that no person would write: from a model that repeats itself, or an attack on the page. It stays plain text. */
export function isTooDeep(text: string): boolean {
  return DEEP.test(text);
}
