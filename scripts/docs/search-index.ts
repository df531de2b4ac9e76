/** The search index of the documentation: each section of each page, and each rule. */
import { Marked, type Token, type Tokens } from "marked";
import type { SearchedSection } from "../../workers/pages/reference/find-sections.ts";
import { createAnchors, ruleOf } from "./markdown.ts";
import { docPages, markdownOf, type DocPage } from "./pages.ts";

export function searchIndex(): readonly SearchedSection[] {
  return docPages.flatMap(sectionsOf);
}

function sectionsOf(page: DocPage): readonly SearchedSection[] {
  const anchors = createAnchors();
  const address = `/docs/${page.name}`;
  const sections: SearchedSection[] = [];
  let heading = "";
  let anchor: string | undefined;
  let texts: string[] = [];
  const add = (of: string, at: string | undefined, text: string): void => {
    const whole = at === undefined ? address : `${address}#${at}`;
    if (of !== "" || text !== "") sections.push({ page: page.title, heading: of, address: whole, text });
  };
  const close = (): void => {
    add(heading, anchor, texts.join(" "));
    texts = [];
  };
  for (const token of new Marked().lexer(markdownOf(page))) {
    if (token.type === "heading") {
      close();
      const { text, depth } = token as Tokens.Heading;
      const own = anchors(text);
      heading = depth === 1 ? "" : plainText(text);
      anchor = depth === 1 ? undefined : own;
    } else if (token.type === "list") {
      for (const item of (token as Tokens.List).items) {
        const rule = ruleOf(item);
        if (rule === undefined) texts.push(plainText(item.text));
        else add(rule, rule, plainText(item.text));
      }
    } else texts.push(plainText(rawOf(token)));
  }
  close();
  return sections;
}

function rawOf(token: Token): string {
  return token.type === "html" || token.type === "space" || token.type === "hr" ? "" : token.raw;
}

/** Without Markdown markup. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^```.*$/gm, "")
    .replaceAll(/\*\*|`/g, "")
    .replaceAll(/^[|\s:-]+$/gm, "")
    .replaceAll(/\s*\|\s*/g, " · ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
