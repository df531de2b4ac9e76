/** A rule is kept if a test that names it passed, and none that names it failed. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { brokenRules, printTable, rulesNamed, rulesStated, tableOfRules } from "./rules.ts";

const reference = `
## Signing in

- **OR-1** An expired token is refused.
- **OR-2** A token for another oracle is refused. See **OR-1** .

Text about - **OR-3** in the middle of a line.
`;
const rules = rulesStated(reference);

function reportOf(...results: readonly [title: string, status: string][]) {
  return {
    success: true,
    numPassedTests: results.length,
    numFailedTests: 0,
    testResults: [
      {
        name: join(projectRoot, "a/one.test.ts"),
        status: "passed",
        assertionResults: results.map(([fullName, status]) => ({ fullName, status })),
      },
    ],
  };
}

function broken(...results: readonly [title: string, status: string][]) {
  return brokenRules(rules, tableOfRules(rules, reportOf(...results))).map(({ rule, reason }) => `${rule}: ${reason}`);
}

test("a reference states a rule at the start of a list item", () => {
  expect(rules).toEqual(["OR-1", "OR-2"]);
});

test("a title names its rules in brackets, anywhere and more than once", () => {
  expect(rulesNamed("tokens [OR-1, OR-2] expire [PH-10]")).toEqual(["OR-1", "OR-2", "PH-10"]);
  expect(rulesNamed("a list [1, 2] and [OR-1,OR-2] and OR-1")).toEqual([]);
});

test("nothing is broken if a test of each rule passed", () => {
  expect(broken(["both [OR-1, OR-2]", "passed"], ["other", "failed"])).toEqual([]);
});

test("a rule without a test, or whose tests were all skipped, is broken", () => {
  expect(broken(["one [OR-1]", "skipped"])).toEqual(['OR-1: "one [OR-1]" is skipped', "OR-2: no test names it"]);
  expect(broken(["one [OR-1]", "skipped"], ["two [OR-1, OR-2]", "passed"])).toEqual([]);
});

test("one failed test breaks its rule, whatever else passed", () => {
  expect(broken(["one [OR-1, OR-2]", "passed"], ["two [OR-2]", "failed"])).toEqual(['OR-2: "two [OR-2]" failed']);
});

test("a test that names a rule without a statement is reported", () => {
  expect(broken(["both [OR-1, OR-2]", "passed"], ["three [OR-9]", "passed"])).toEqual([
    'OR-9: no page states it, but "three [OR-9]" names it',
  ]);
});

test("the table lists each rule with its tests", () => {
  expect(printTable(tableOfRules(rules, reportOf(["a | b [OR-1]", "passed"])))).toBe(
    "| rule | result | file | test |\n| --- | --- | --- | --- |\n| OR-1 | passed | `a/one.test.ts` | a \\| b [OR-1] |\n",
  );
});
