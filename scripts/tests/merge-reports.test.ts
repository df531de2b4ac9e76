/** Several runs count as one, which succeeds only if each of them does. */
import { expect, test } from "vitest";
import { mergeReports } from "./merge-reports.ts";

const report = (name: string, passed: number, failed: number) => ({
  success: failed === 0,
  numPassedTests: passed,
  numFailedTests: failed,
  testResults: [{ name, status: failed === 0 ? "passed" : "failed", assertionResults: [] }],
});

test("tests add up, and one failed run fails all", () => {
  const merged = mergeReports([report("a", 3, 0), report("b", 2, 1)]);
  expect(merged).toMatchObject({ success: false, numPassedTests: 5, numFailedTests: 1 });
  expect(merged.testResults.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(mergeReports([report("a", 3, 0), report("b", 2, 0)]).success).toBe(true);
});
