/** The served documentation pages: every page exists, every link has a target, every rule has an address [ALL-25]. */
import { existsSync, globSync } from "node:fs";
import { dirname, join } from "node:path";
import { Marked, type Tokens } from "marked";
import { expect, test } from "vitest";
import { renderDocPage } from "./doc-pages.ts";
import { docPages, markdownOf } from "./docs/pages.ts";
import { projectRoot } from "./run-command.ts";
import { statedRules } from "./tests/rules.ts";

const pages = new Map(docPages.map((page) => [`/docs/${page.name}`, renderDocPage(page)]));
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);

test("every page of docs/ is served once, and has a link in the navigation of each page", () => {
  const written = globSync("docs/**/*.md", { cwd: projectRoot });
  const served = docPages.map(({ file }) => file);
  expect(written.length).toBeGreaterThan(40);
  expect(written.filter((file) => !served.includes(file))).toEqual([]);
  expect(new Set(docPages.map(({ name }) => name)).size).toBe(docPages.length);
  for (const html of pages.values()) {
    const [navigation = ""] = /<nav.*<\/nav>/s.exec(html) ?? [];
    const linked = [...navigation.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
    expect(linked).toEqual([...pages.keys(), "/docs"]);
  }
});

test("the navigation shows the section of the current page, and folds the others", () => {
  const open = /<details open><summary>(.*?)<\/summary>.*?<\/details>/s;
  const [section = "", title] = open.exec(pages.get("/docs/runbook") ?? "") ?? [];
  expect(title).toBe("Operate");
  expect(section).toContain('<a href="/docs/runbook" aria-current="page">');
  const used = new Set(docPages.map((page) => page.section));
  expect(pages.get("/docs/runbook")?.match(/<details>/g)).toHaveLength(used.size - 1);
});

test("every rule is an anchor of one page", () => {
  const anchors = [...pages.values()].flatMap(idsOf).filter((id) => /^[A-Z]+-\d+$/.test(id));
  expect(anchors.toSorted()).toEqual(statedRules().toSorted());
});

test("every link within the pages leads to an existing page and anchor", () => {
  const dead = [...pages].flatMap(([address, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, href = ""]) => {
      if (/^(?:https?|mailto):/.test(href)) return [];
      const [path = "", anchor] = href.split("#");
      if (path.startsWith("/") && !path.startsWith("/docs/")) return [];
      const target = pages.get(path === "" ? address : path);
      const isThere = target !== undefined && (anchor === undefined || idsOf(target).includes(anchor));
      return isThere ? [] : [`${address} -> ${href}`];
    }),
  );
  expect(dead).toEqual([]);
});

test("every relative link leads to a file, and every link to a Markdown file of the repository to a page", () => {
  const served = new Set(docPages.map(({ file }) => file));
  const lost = docPages.flatMap((page) =>
    linksOf(markdownOf(page)).flatMap((href) => {
      if (/^(?:[a-z]+:|\/|#)/.test(href)) return [];
      const path = join(dirname(page.file), href.replace(/#.*/, ""));
      const isThere = path.endsWith(".md") ? served.has(path) : existsSync(join(projectRoot, path));
      return isThere ? [] : [`${page.file} -> ${href}`];
    }),
  );
  expect(lost).toEqual([]);
});

function linksOf(markdown: string): readonly string[] {
  const links: string[] = [];
  const marked = new Marked();
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === "link") links.push((token as Tokens.Link).href);
  });
  return links;
}

test("a page runs no script except the search, and loads nothing from elsewhere", () => {
  for (const html of pages.values()) {
    const rest = html.replace('<script type="module" src="/docs/search.js"></script>', "");
    expect(rest).not.toMatch(/<script|<style|<[^>]+ style=|<img src="(?!\/docs\/images\/)|<link[^>]+href="http/);
  }
});

test("every picture of a page is a file of docs/images", () => {
  const addresses = [...pages.values()].flatMap((html) =>
    [...html.matchAll(/ (?:src|srcset)="(\/docs\/images\/[^"]*)"/g)].map(([, address = ""]) => address),
  );
  expect(addresses.length).toBeGreaterThan(3);
  expect(addresses.filter((address) => !existsSync(join(projectRoot, address)))).toEqual([]);
});

test("text on a page is escaped", () => {
  expect(pages.get("/docs/reference/oracle")).not.toMatch(/<sessionId>|<id>/);
});
