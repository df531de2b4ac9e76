/** Checks the accessibility of a page: axe with WCAG 2.2 A and AA and its best practices. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The members of a result that are read. */
interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Rules that depend only on the theme: the elements are the same in other colours. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/**
 * One line for each rule that the page violates, with the first violating element; empty if there is none.
 * @param what only the rules about colours, for a page that was already checked in its other theme.
 */
export async function axeViolations(page: Page, what: "all" | "colours" = "all"): Promise<readonly string[]> {
  // Half a megabyte: sent once per page.
  if (!(await page.evaluate<boolean>(`"axe" in globalThis`))) await page.evaluate(source);
  const runOnly = what === "all" ? { type: "tag", values: TAGS } : { type: "rule", values: COLOURS };
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ["violations"], selectors: false })}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => {
    const [first] = nodes;
    const reason = (first?.failureSummary ?? "").replaceAll(/\s+/g, " ");
    return `${id}: ${help}: ${nodes.length} elements, such as ${first?.html.slice(0, 200)} (${reason})`;
  });
}
