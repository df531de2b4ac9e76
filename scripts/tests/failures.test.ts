/** The end of a run lists its failures with their reasons. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { printFailures } from "./failures.ts";

const counts = { success: false, numPassedTests: 1, numFailedTests: 1 };
const passed = { fullName: "adds", status: "passed" };

test("a failed test is named with its file and its message, a passed one is not", () => {
  const failed = {
    fullName: "takes away",
    status: "failed",
    failureMessages: ["AssertionError: expected \u001b[31m2\u001b[39m to be 1\n    at sum.test.ts:7:3"],
  };
  const name = join(projectRoot, "scripts", "sum.test.ts");
  const testResults = [{ name, status: "failed", message: "", assertionResults: [passed, failed] }];
  expect(printFailures({ ...counts, testResults })).toBe(
    [
      "FAILED scripts/sum.test.ts: takes away",
      "    AssertionError: expected 2 to be 1",
      "        at sum.test.ts:7:3",
      "",
    ].join("\n"),
  );
});

test("a file that could not be run is listed with its error, cut after 30 lines", () => {
  const message = Array.from({ length: 31 }, (_, line) => `line ${line + 1}`).join("\n");
  const testResults = [
    { name: join(projectRoot, "a.test.ts"), status: "failed", message, assertionResults: [] },
    { name: join(projectRoot, "b.test.ts"), status: "passed", message: "", assertionResults: [passed] },
  ];
  const lines = printFailures({ ...counts, testResults })
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(31);
  expect([lines[0], lines.at(-1)]).toEqual(["FAILED a.test.ts", "    line 30"]);
});

test("a run without a failure prints nothing", () => {
  const testResults = [{ name: join(projectRoot, "a.test.ts"), status: "passed", assertionResults: [passed] }];
  expect(printFailures({ ...counts, success: true, numFailedTests: 0, testResults })).toBe("");
});
