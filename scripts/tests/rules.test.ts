/** A rule is held when each test that it names was run and passed. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../run-command.ts";
import { brokenReferences, referencesIn } from "./rules.ts";

const document = `
| no. | rule      | test                                                        |
| --- | --------- | ----------------------------------------------------------- |
| 1   | a house   | \`a/one.test.ts\`, \`b/two.test.ts > stands, and does not fall\` |
| 2   | a garden  | \`a/one.test.ts\`                                             |
`;

function reportOf(...results: readonly [file: string, fullName: string, status: string][]) {
  return {
    testResults: results.map(([file, fullName, status]) => ({
      name: join(projectRoot, file),
      assertionResults: [{ fullName, status }],
    })),
  };
}

test("a document names files, and tests of a file, each once", () => {
  expect(referencesIn(document)).toEqual([
    { file: "a/one.test.ts" },
    { file: "b/two.test.ts", test: "stands, and does not fall" },
  ]);
});

test("all run and passed: nothing is broken", () => {
  const report = reportOf(
    ["a/one.test.ts", "grows", "passed"],
    ["b/two.test.ts", "a house stands, and does not fall", "passed"],
  );
  expect(brokenReferences(referencesIn(document), report)).toEqual([]);
});

test("a test that is gone, renamed, failed or skipped breaks its rule; another file's test of the name does not count", () => {
  const references = referencesIn(document);
  const grown = ["a/one.test.ts", "grows", "passed"] as const;
  const lines = (...two: readonly [file: string, fullName: string, status: string][]) =>
    brokenReferences(references, reportOf([...grown], ...two));
  const gone = "b/two.test.ts > stands, and does not fall: no such test was run";
  expect(lines()).toEqual([gone]);
  expect(lines(["b/two.test.ts", "stands", "passed"])).toEqual([gone]);
  expect(lines(["c/two.test.ts", "stands, and does not fall", "passed"])).toEqual([gone]);
  for (const status of ["failed", "skipped", "pending", "todo"]) {
    expect(lines(["b/two.test.ts", "stands, and does not fall", status])).toEqual([
      `b/two.test.ts > stands, and does not fall: "stands, and does not fall" is ${status}`,
    ]);
  }
});
