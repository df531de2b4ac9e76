/**
 * The rules that a test run has confirmed: those of the interface in docs/reference/, and the acceptance criteria in test/spec/.
 * A page states a rule as a list item that begins `- **OR-12** `; a test names the rules that it checks in brackets in its title:
 * `an expired token is refused [OR-31, OR-32]`.
 */
import { globSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { projectRoot } from "../run-command.ts";

/** The public interface, and the criteria that only our own tests need. */
const RULE_PAGES = ["docs/reference/**/*.md", "test/spec/*.md"];

/** The members of vitest's JSON report that are read. */
export interface TestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests?: number;
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    readonly status: string;
    /** Why the file could not be run. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export interface RuleTest {
  readonly file: string;
  readonly title: string;
  /** Vitest's: `passed`, `failed`, `skipped`, `pending` or `todo`. */
  readonly status: string;
}

export interface RuleRow {
  readonly rule: string;
  readonly tests: readonly RuleTest[];
}

/** The rules that a page states, in order. */
export function rulesStated(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^- \*\*([A-Z]+-\d+)\*\* /gm)].map(([, rule = ""]) => rule);
}

/** The rules that a test's title names. */
export function rulesNamed(title: string): readonly string[] {
  const lists = [...title.matchAll(/\[([A-Z]+-\d+(?:, [A-Z]+-\d+)*)\]/g)];
  return lists.flatMap(([, list = ""]) => list.split(", "));
}

/** The pages that state rules, with their Markdown, sorted by path. */
export function rulePages(): ReadonlyMap<string, string> {
  const paths = globSync(RULE_PAGES, { cwd: projectRoot }).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(join(projectRoot, path), "utf8")]));
}

export function statedRules(): readonly string[] {
  return [...rulePages().values()].flatMap(rulesStated);
}

/** One row per rule, and per unknown rule that a test names. */
export function tableOfRules(rules: readonly string[], report: TestReport): readonly RuleRow[] {
  const rows = new Map<string, RuleTest[]>(rules.map((rule) => [rule, []]));
  for (const { name, assertionResults } of report.testResults) {
    const file = relative(projectRoot, name).split(sep).join("/");
    for (const { fullName: title, status } of assertionResults) {
      for (const rule of rulesNamed(title)) {
        const tests = rows.get(rule) ?? [];
        tests.push({ file, title, status });
        rows.set(rule, tests);
      }
    }
  }
  return [...rows].map(([rule, tests]) => ({ rule, tests }));
}

/** A rule that the run did not confirm, and the reason. `failedTest` is true if the test itself has already been counted. */
export interface BrokenRule {
  readonly rule: string;
  readonly reason: string;
  readonly failedTest: boolean;
}

/** Every rule needs one test that passed and none that failed; every rule that a test names must be stated. */
export function brokenRules(rules: readonly string[], table: readonly RuleRow[]): readonly BrokenRule[] {
  const known = new Set(rules);
  return table.flatMap(({ rule, tests }): readonly BrokenRule[] => {
    const [first] = tests;
    if (!known.has(rule)) {
      return [{ rule, reason: `no page states it, but "${first?.title}" names it`, failedTest: false }];
    }
    const failed = tests.find(({ status }) => status === "failed");
    if (failed !== undefined) return [{ rule, reason: `"${failed.title}" failed`, failedTest: true }];
    if (tests.some(({ status }) => status === "passed")) return [];
    const reason = first === undefined ? "no test names it" : `"${first.title}" is ${first.status}`;
    return [{ rule, reason, failedTest: false }];
  });
}

/** The table as Markdown: each rule with its tests. */
export function printTable(table: readonly RuleRow[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  const lines = table.flatMap(({ rule, tests }) =>
    tests.map(({ file, title, status }) => `| ${rule} | ${status} | \`${file}\` | ${cell(title)} |`),
  );
  return ["| rule | result | file | test |", "| --- | --- | --- | --- |", ...lines, ""].join("\n");
}
