/**
 * `npm test`: every test project, then the table of rules (dist/rules.md). The run fails for a rule of docs/reference/ that no
 * passing test names. Arguments after `npm test --` go to vitest; a run of only some tests writes no table.
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./build-assets.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { brokenRules, printTable, statedRules, tableOfRules, type BrokenRule, type TestReport } from "./tests/rules.ts";

const REPORT = "dist/test-report.json";
const TABLE = "dist/rules.md";

/** Whether vitest runs everything: options that select tests, and file names, leave something out. */
export function isWhole(args: readonly string[]): boolean {
  const selects = /^(-t|--testNamePattern|--project|--shard|--changed|--related|--bail|--help|-h|--list)\b/;
  return args.every((arg) => arg.startsWith("-") && !selects.test(arg));
}

/** The rules that a run did not hold. Browser tests are skipped without a browser, unless one is required. */
export function rulesMissed(report: TestReport): readonly BrokenRule[] {
  const rules = statedRules();
  const broken = brokenRules(rules, tableOfRules(rules, report));
  const isBrowserRequired = process.env["REQUIRE_BROWSER"] !== undefined;
  return broken.filter(({ reason }) => isBrowserRequired || !/" is (?:skipped|pending)$/.test(reason));
}

function vitest(args: readonly string[]): Promise<number> {
  return new Promise((finish) => {
    const child = spawn("vitest", ["run", ...args], { cwd: projectRoot, env: projectEnvironment(), stdio: "inherit" });
    child.on("error", () => finish(127));
    child.on("close", (code) => finish(code ?? 1));
  });
}

async function main(args: readonly string[]): Promise<number> {
  await buildAssets();
  if (!isWhole(args)) return vitest(args);
  rmSync(join(projectRoot, REPORT), { force: true });
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const code = await vitest([...args, ...reports]);
  const report = JSON.parse(readFileSync(join(projectRoot, REPORT), "utf8")) as TestReport;
  writeFileSync(join(projectRoot, TABLE), printTable(tableOfRules(statedRules(), report)));
  const missed = rulesMissed(report);
  if (missed.length === 0) return code;
  const lines = missed.map(({ rule, reason }) => `${rule}: ${reason}`);
  process.stderr.write(`\nRules without a passing test (see ${TABLE}):\n${lines.join("\n")}\n`);
  return Math.max(code, 1);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
