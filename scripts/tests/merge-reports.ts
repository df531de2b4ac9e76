/** The JSON reports of several runs of vitest as one. */
import type { TestReport } from "./rules.ts";

export function mergeReports(reports: readonly TestReport[]): TestReport {
  const sum = (count: (report: TestReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  return {
    success: reports.every(({ success }) => success),
    numPassedTests: sum(({ numPassedTests }) => numPassedTests),
    numFailedTests: sum(({ numFailedTests }) => numFailedTests),
    numPendingTests: sum(({ numPendingTests = 0 }) => numPendingTests),
    testResults: reports.flatMap(({ testResults }) => testResults),
  };
}
