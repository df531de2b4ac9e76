/**
 * The closing line of a CI run, from vitest's JSON report: `12 passed, 0 failed`. A failure outside a test (a file that does not
 * load, a step before or after the tests, a rule without a passing test) counts as failed too, so that the line always agrees with
 * the exit code.
 */
import { readFileSync } from "node:fs";
import { rulesMissed } from "./test.ts";
import type { TestReport } from "./tests/rules.ts";

export interface Summary {
  readonly passed: number;
  readonly failed: number;
}

/**
 * @param report undefined if the tests did not get as far as writing one.
 * @param hasFailed whether the test command failed, which includes errors outside tests.
 */
export function summarise(
  report: TestReport | undefined,
  failedSteps: number,
  missedRules = 0,
  hasFailed = false,
): Summary {
  if (report === undefined) return { passed: 0, failed: failedSteps + 1 };
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const failed = report.numFailedTests + broken.length;
  const unexplained = (hasFailed || !report.success) && failed + missedRules === 0 ? 1 : 0;
  return { passed: report.numPassedTests, failed: failed + unexplained + failedSteps + missedRules };
}

function readReport(path: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as TestReport;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const [path = "", failedSteps = "0", tests = "passed"] = process.argv.slice(2);
  const report = readReport(path);
  // A failed test is already counted.
  const missed = report === undefined ? [] : rulesMissed(report).filter(({ failedTest }) => !failedTest);
  const { passed, failed } = summarise(report, Number(failedSteps), missed.length, tests !== "passed");
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  if (failed > 0) process.exitCode = 1;
}
