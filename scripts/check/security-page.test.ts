/** docs/security.md: every claim cites rules of the references, and the count of hostile texts is correct. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostileStrings } from "../../test/support/oracle/hostile-strings.ts";
import { projectRoot } from "../run-command.ts";
import { statedRules } from "../tests/rules.ts";

const page = readFileSync(join(projectRoot, "docs/security.md"), "utf8");
/** Each list item as one line. */
const claims = [...page.matchAll(/^- [\s\S]*?(?=\n(?:- |\n|$))/gm)].map(([text]) => text.replaceAll(/\s+/g, " "));

test("every claim ends with rules that a reference states", () => {
  const rules = new Set(statedRules());
  expect(claims.length).toBeGreaterThan(20);
  const cited = claims.map((claim) => ({ claim, list: /\(((?:[A-Z]{2,3}-\d+(?:, )?)+)\)$/.exec(claim)?.[1] }));
  expect(cited.filter(({ list }) => list === undefined)).toEqual([]);
  const unknown = cited.flatMap(({ list = "" }) => list.split(", ").filter((rule) => !rules.has(rule)));
  expect(unknown).toEqual([]);
});

test("the page has the number of hostile texts", () => {
  expect(page).toContain(`${hostileStrings.length} hostile texts`);
});
