/** The documentation pages as they are served: every link leads somewhere, every rule has an address [ALL-25]. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { docPages, renderDocPage } from "./doc-pages.ts";
import { statedRules } from "./tests/rules.ts";

const pages = new Map(docPages.map((page) => [`/docs/${page.name}`, renderDocPage(page)]));
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);

test("every rule is an anchor of one page", () => {
  const anchors = [...pages.values()].flatMap(idsOf).filter((id) => /^[A-Z]+-\d+$/.test(id));
  expect(anchors.toSorted()).toEqual(statedRules().toSorted());
});

test("every link within the pages leads to a page, and to an anchor that is there", () => {
  const dead = [...pages].flatMap(([address, html]) =>
    [...html.matchAll(/<a href="([^"]+)"/g)].flatMap(([, href = ""]) => {
      if (/^https?:/.test(href)) return [];
      const [path = "", anchor] = href.split("#");
      if (path.startsWith("/") && !path.startsWith("/docs/")) return [];
      const target = pages.get(path === "" ? address : path);
      const isThere = target !== undefined && (anchor === undefined || idsOf(target).includes(anchor));
      return isThere ? [] : [`${address} -> ${href}`];
    }),
  );
  expect(dead).toEqual([]);
});

test("a page runs no script and loads nothing from elsewhere", () => {
  for (const html of pages.values()) {
    expect(html).not.toMatch(/<script|<style|<[^>]+ style=|<img(?! src="\/docs\/images\/)|<link[^>]+href="http/);
  }
});

test("a picture of a page is served from docs/images", () => {
  const files = readdirSync(new URL("../docs/images", import.meta.url)).map((name) => `/docs/images/${name}`);
  const shown = [...pages.values()].flatMap((html) => [...html.matchAll(/<img src="([^"]+)"/g)].map(([, src]) => src));
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.filter((address = "") => !files.includes(address))).toEqual([]);
});

test("what a page shows as text is escaped", () => {
  expect(pages.get("/docs/reference/oracle")).not.toMatch(/<sessionId>|<id>/);
});

test("every page of a bundled plugin is served", () => {
  const written = readdirSync(new URL("../docs/plugins", import.meta.url)).map((file) => `/docs/plugins/${file}`);
  expect(written.filter((file) => !pages.has(file.replace(/\.md$/, "")))).toEqual([]);
  expect(pages.get("/docs/plugins")).toContain('href="/docs/plugins/README"');
});
