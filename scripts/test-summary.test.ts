/** The closing line reports every failure. */
import { expect, test } from "vitest";
import { summarise } from "./test-summary.ts";

const results = [1, 2, 3].map((number) => ({ fullName: `test ${number}`, status: "passed" }));
const green = {
  numPassedTests: 3,
  numFailedTests: 0,
  success: true,
  testResults: [{ name: "a", status: "passed", assertionResults: results }],
};

test("a successful run", () => {
  expect(summarise(green, 0)).toEqual({ passed: 3, failed: 0 });
});

test("failed tests, files that do not load and failed steps add up", () => {
  const report = {
    numPassedTests: 2,
    numFailedTests: 1,
    success: false,
    testResults: [
      { name: "a", status: "failed", assertionResults: results },
      { name: "b", status: "failed", assertionResults: [] },
    ],
  };
  expect(summarise(report, 2)).toEqual({ passed: 2, failed: 4 });
});

test("an error outside a test counts", () => {
  expect(summarise({ ...green, success: false }, 0)).toEqual({ passed: 3, failed: 1 });
  // If the report does not contain it, the command's exit code counts, but not in addition to a broken rule.
  expect(summarise(green, 0, 0, true)).toEqual({ passed: 3, failed: 1 });
  expect(summarise(green, 0, 2, true)).toEqual({ passed: 3, failed: 2 });
});

test("broken rules count", () => {
  expect(summarise(green, 0, 2)).toEqual({ passed: 3, failed: 2 });
});

test("a missing report is a failure", () => {
  expect(summarise(undefined, 0)).toEqual({ passed: 0, failed: 1 });
});
