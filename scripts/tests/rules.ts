/**
 * Whether the rules that clients depend on were held by a test run. A document names the tests of each rule, as
 * `path/of.test.ts` (the whole file) or `path/of.test.ts > name of the test`; a rule is held when all of them were run and
 * passed. Knows nothing of what the rules say.
 */
import { relative, sep } from "node:path";
import { projectRoot } from "../run-command.ts";

/** The tests of a rule: a whole file, or those of the file whose name contains `test`. */
export interface TestReference {
  readonly file: string;
  readonly test?: string;
}

/** Of vitest's JSON report, what is looked at. */
export interface TestReport {
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** All that a document names, each once, in its order. */
export function referencesIn(document: string): readonly TestReference[] {
  const named = [...document.matchAll(/`([\w./-]+\.test\.ts)(?: > ([^`|]+))?`/g)];
  const references = new Map<string, TestReference>();
  for (const [text, file = "", test] of named) references.set(text, test === undefined ? { file } : { file, test });
  return [...references.values()];
}

/** One line for each reference that the run did not hold. */
export function brokenReferences(references: readonly TestReference[], report: TestReport): readonly string[] {
  const files = new Map(
    report.testResults.map(({ name, assertionResults }) => [
      relative(projectRoot, name).split(sep).join("/"),
      assertionResults,
    ]),
  );
  return references.flatMap(({ file, test }) => {
    const named = test === undefined ? file : `${file} > ${test}`;
    const results = (files.get(file) ?? []).filter(({ fullName }) => test === undefined || fullName.includes(test));
    if (results.length === 0) return [`${named}: no such test was run`];
    const missed = results.filter(({ status }) => status !== "passed");
    return missed.map(({ fullName, status }) => `${named}: "${fullName}" is ${status}`);
  });
}
