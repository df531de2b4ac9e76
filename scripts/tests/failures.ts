/** Lists a run's failures at its end: the output of ten thousand tests is long, and often only its last part is kept. */
import { relative, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { projectRoot } from "../run-command.ts";
import type { TestReport } from "./rules.ts";

/** Lines shown per message: the assertion, its difference, and its location. */
const SHOWN_LINES = 30;

const indented = (message: string): readonly string[] =>
  stripVTControlCharacters(message)
    .trim()
    .split("\n")
    .slice(0, SHOWN_LINES)
    .map((line) => `    ${line}`);

/** Each failed test, and each file that could not be run, with its message. Empty if nothing failed. */
export function printFailures(report: TestReport): string {
  const lines = report.testResults.flatMap(({ name, status, message = "", assertionResults }) => {
    const file = relative(projectRoot, name).split(sep).join("/");
    if (status === "failed" && assertionResults.length === 0) return [`FAILED ${file}`, ...indented(message)];
    const failed = assertionResults.filter((test) => test.status === "failed");
    return failed.flatMap(({ fullName, failureMessages = [] }) => [
      `FAILED ${file}: ${fullName}`,
      ...failureMessages.flatMap(indented),
    ]);
  });
  return lines.map((line) => `${line}\n`).join("");
}
