/** The search of the documentation finds variables, codes, rules and headings in the current pages. */
import { expect, test } from "vitest";
import { findSections } from "../../workers/pages/reference/find-sections.ts";
import { renderDocPage } from "../doc-pages.ts";
import { docPages } from "./pages.ts";
import { searchIndex } from "./search-index.ts";

const index = searchIndex();
const found = (query: string) => findSections(index, query).map(({ address }) => address);

test.each([
  ["REGISTRY_QUORUM_BP", "/docs/configuration#registry"],
  ["session_limit", "/docs/error-codes#oracle"],
  ["database filling up", "/docs/runbook#the-database-is-filling-up"],
  ["import a file", "/docs/import-export#import-a-file"],
])("%s is found at %s [ALL-25]", (query, address) => {
  expect(found(query)).toContain(address);
});

test("a rule's number finds the rule first; unknown or missing words find nothing", () => {
  expect(found("rg-161")[0]).toBe("/docs/reference/registry#RG-161");
  expect(found("database xyzzyx")).toEqual([]);
  expect(found("  ")).toEqual([]);
});

test("every section leads to an anchor of its page, and every page is in the index", () => {
  const html = new Map(docPages.map((page) => [`/docs/${page.name}`, renderDocPage(page)]));
  const dead = index.filter(({ address }) => {
    const [path = "", anchor] = address.split("#");
    return html.get(path)?.includes(anchor === undefined ? "<h1" : ` id="${anchor}"`) !== true;
  });
  expect(dead).toEqual([]);
  const inIndex = new Set(index.map(({ address }) => address.split("#")[0]));
  expect([...html.keys()].filter((path) => !inIndex.has(path))).toEqual([]);
});

test("a result has at most 20 sections, each with the text around the first word", () => {
  const sections = findSections(index, "the");
  expect(sections).toHaveLength(20);
  const [quorum] = findSections(index, "REGISTRY_QUORUM_BP");
  expect(quorum?.excerpt).toMatch(/^….*REGISTRY_QUORUM_BP.*…$/);
});
