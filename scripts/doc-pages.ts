/**
 * The Markdown pages of docs/ and sdk/ that the Worker serves below `/docs`, as HTML that loads nothing but its own style sheet. Each rule of
 * a reference is an anchor: `/docs/reference/oracle#OR-12`.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Marked, Renderer, type Tokens } from "marked";
import { projectRoot } from "./run-command.ts";
import { apiReference } from "./sdk/api-reference.ts";

export interface DocPage {
  /** Below `/docs/`, without an ending: `reference/oracle`. */
  readonly name: string;
  readonly title: string;
  /** Where its Markdown is, or would be; `docs/<name>.md` when absent. Links lead from there. */
  readonly file?: string;
  /** The Markdown of a page that has no file. */
  readonly write?: () => string;
  /** `false`: only other pages lead to it, not the navigation. */
  readonly isInNavigation?: false;
}

/** The page of a plugin that comes with every oracle. */
function pluginPage(name: string): DocPage {
  return { name: `plugins/${name}`, title: `Plugin ${name}`, isInNavigation: false };
}

/** In the order of the navigation. */
export const docPages: readonly DocPage[] = [
  { name: "tutorial", title: "Tutorial" },
  { name: "console", title: "Console" },
  { name: "client-guide", title: "Client guide" },
  { name: "plugins", title: "Plugins" },
  { name: "plugins/README", title: "Bundled plugins" },
  { name: "sdk", title: "React SDK", file: "sdk/README.md" },
  { name: "sdk/reference", title: "SDK API", file: "sdk/reference.md", write: apiReference },
  { name: "sdk/migration", title: "SDK migration", file: "sdk/MIGRATION.md", isInNavigation: false },
  { name: "reference/oracle", title: "Oracle" },
  { name: "reference/oracle-protocol", title: "Oracle protocol" },
  { name: "reference/registry", title: "Registry" },
  { name: "reference/phone", title: "Phone gateway" },
  { name: "reference/query-gateway", title: "Query gateway" },
  { name: "reference/sdk", title: "React SDK rules" },
  { name: "reference/platform", title: "Every surface" },
  { name: "reference/console", title: "Console rules" },
  { name: "operations", title: "Operations" },
  { name: "deploy", title: "Deploy" },
  { name: "security", title: "Security" },
  { name: "glossary", title: "Glossary" },
  ...["memory", "domain-registry", "attachments", "mcp", "mcp-sign-in", "credits", "claims", "slack", "calls"].map(
    pluginPage,
  ),
];

/** The pages by their files. */
const served = new Map(docPages.map((page) => [fileOf(page), page.name]));

function fileOf({ name, file }: DocPage): string {
  return file ?? `docs/${name}.md`;
}

export function renderDocPage(page: DocPage): string {
  const { name, title } = page;
  const markdown = page.write?.() ?? readFileSync(join(projectRoot, fileOf(page)), "utf8");
  const listed = docPages.filter(({ isInNavigation }) => isInNavigation !== false);
  const links = listed.map((page) => {
    const current = page.name === name ? ' aria-current="page"' : "";
    return `<a href="/docs/${page.name}"${current}>${page.title}</a>`;
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · twinedge</title>
    <link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/page.css">
  </head>
  <body>
    <nav aria-label="Documentation">
      <strong>twinedge</strong>
      ${links.join("\n      ")}
      <a href="/docs">API reference</a>
    </nav>
    <main>
${render(markdown, fileOf(page))}
    </main>
  </body>
</html>
`;
}

/** @param file whose text it is. */
function render(markdown: string, file: string): string {
  const used = new Map<string, number>();
  const renderer = new Renderer();
  renderer.heading = function ({ tokens, depth, text }) {
    const id = anchorOf(text, used);
    return `<h${depth} id="${id}"><a href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
  };
  renderer.listitem = function (item) {
    const content = this.parser.parse(item.tokens);
    const rule = /^\*\*([A-Z]+-\d+)\*\* /.exec(item.text)?.[1];
    return rule === undefined ? `<li>${content}</li>\n` : `<li class="rule" id="${rule}">${content}</li>\n`;
  };
  renderer.table = function (table: Tokens.Table) {
    return `<div class="table">${Renderer.prototype.table.call(this, table)}</div>\n`;
  };
  renderer.link = function ({ href, tokens }) {
    const content = this.parser.parseInline(tokens);
    const address = addressOf(href, file);
    return address === undefined ? content : `<a href="${address}">${content}</a>`;
  };
  renderer.image = function ({ type, raw, href, title, text, tokens }) {
    const address = join("/docs", relative("docs", join(dirname(file), href)));
    return Renderer.prototype.image.call(this, { type, raw, href: address, title, text, tokens });
  };
  return new Marked({ renderer, async: false }).parse(markdown) as string;
}

/** As GitHub makes the anchor of a heading, so that links work in the repository and here. */
function anchorOf(heading: string, used: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
  const count = used.get(slug) ?? 0;
  used.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Where a link of a page leads once it is served; undefined for a file of the repository that is not served. */
function addressOf(href: string, file: string): string | undefined {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const target = served.get(join(dirname(file), path));
  if (target === undefined) return undefined;
  return `/docs/${target}${fragment === undefined ? "" : `#${fragment}`}`;
}
