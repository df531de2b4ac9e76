/** A page's Markdown as HTML, with the addresses under which it is served. */
import { dirname, join } from "node:path";
import { Marked, Renderer, type Tokens } from "marked";
import { drawingOf } from "../diagrams/drawing.ts";
import { docPages } from "./pages.ts";

/** Pictures of the documents, which are served below `/docs/images`. */
export const IMAGE_FOLDER = "docs/images";

/** The pages by file. */
const served = new Map(docPages.map((page) => [page.file, page.name]));

/** @param file the file of the text. */
export function renderMarkdown(markdown: string, file: string): string {
  const anchors = createAnchors();
  const renderer = new Renderer();
  renderer.heading = function ({ tokens, depth, text }) {
    const id = anchors(text);
    return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
  };
  renderer.listitem = function (item) {
    const content = this.parser.parse(item.tokens);
    const rule = ruleOf(item);
    return rule === undefined ? `<li>${content}</li>\n` : `<li class="rule" id="${rule}">${content}</li>\n`;
  };
  renderer.code = function (block) {
    return block.lang === "mermaid" ? drawingOf(block.text) : (Renderer.prototype.code.call(this, block) as string);
  };
  renderer.table = function (table: Tokens.Table) {
    return `<div class="table">${Renderer.prototype.table.call(this, table)}</div>\n`;
  };
  renderer.link = function ({ href, tokens }) {
    const content = this.parser.parseInline(tokens);
    const address = addressOf(href, file);
    return address === undefined ? content : `<a href="${address}">${content}</a>`;
  };
  renderer.image = ({ href, text }) => `<img src="${imageAddress(href, file)}" alt="${escapeAttribute(text)}">`;
  renderer.html = ({ text }) =>
    text.replaceAll(
      /\b(src|srcset)="([^":]+)"/g,
      (_tag, name: string, href: string) => `${name}="${imageAddress(href, file)}"`,
    );
  return new Marked({ renderer, async: false }).parse(markdown) as string;
}

/** The number of the rule in a list item. */
export function ruleOf({ text }: Pick<Tokens.ListItem, "text">): string | undefined {
  return /^\*\*([A-Z]+-\d+)\*\* /.exec(text)?.[1];
}

/** The anchors of a page's headings, in order; in GitHub's form, so that links work in the repository and here. */
export function createAnchors(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** The served target of a page's link; undefined for a file of the repository that is not served. */
function addressOf(href: string, file: string): string | undefined {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const target = served.get(join(dirname(file), path));
  if (target === undefined) return undefined;
  return `/docs/${target}${fragment === undefined ? "" : `#${fragment}`}`;
}

function imageAddress(href: string, file: string): string {
  return `/${join(dirname(file), href)}`;
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
