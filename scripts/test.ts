/**
 * `npm test`: every test project, then the table of rules (dist/rules.md). The run fails for a rule of docs/reference/ or test/spec/ that no
 * passing test names. Arguments after `npm test --` go to vitest; a run of only some tests writes no table.
 */
import { spawn, type StdioOptions } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { buildAssets } from "./assets.ts";
import { findServerPrograms } from "./postgres/server-programs.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { printFailures } from "./tests/failures.ts";
import { mergeReports } from "./tests/merge-reports.ts";
import { brokenRules, printTable, statedRules, tableOfRules, type BrokenRule, type TestReport } from "./tests/rules.ts";

const REPORT = "dist/test-report.json";
const TABLE = "dist/rules.md";
/** More than a run writes, so that no write blocks on output that is shown later. */
const HELD_BYTES = 64 * 1024 * 1024;

/** Whether vitest runs everything: options that select tests, and file names, limit the run. */
export function isWhole(args: readonly string[]): boolean {
  const selects = /^(-t|--testNamePattern|--project|--shard|--changed|--related|--bail|--help|-h|--list)\b/;
  return args.every((arg) => arg.startsWith("-") && !selects.test(arg));
}

/** The broken rules of a run. Tests are skipped without a browser or a PostgreSQL server, unless both are required. */
export function rulesMissed(report: TestReport): readonly BrokenRule[] {
  const rules = statedRules();
  const broken = brokenRules(rules, tableOfRules(rules, report));
  const isAllRequired = ["REQUIRE_BROWSER", "REQUIRE_POSTGRES"].every((name) => process.env[name] !== undefined);
  return broken.filter(({ reason }) => isAllRequired || !/" is (?:skipped|pending)$/.test(reason));
}

/**
 * The projects in order. The projects of one stage run concurrently: the runtime of `workers` and `plugins` keeps one
 * core busy, and then the server of `postgres`. `e2e` and `browser` wait for real processes, so they have the machine
 * to themselves.
 */
const onPostgres = findServerPrograms().ok ? ["postgres", "postgres-workers"] : [];
const STAGES = [[["unit"], ["workers", "plugins", ...onPostgres]], [["e2e", "browser"]]] as const;

/** @param output the destination; `undefined` for this process's own output. */
function vitest(args: readonly string[], output?: Writable): Promise<number> {
  return new Promise((finish) => {
    const stdio = output === undefined ? "inherit" : (["ignore", "pipe", "pipe"] as const);
    const options = { cwd: projectRoot, env: projectEnvironment() };
    const child = spawn("vitest", ["run", ...args], { ...options, stdio: stdio as StdioOptions });
    if (output !== undefined) for (const stream of [child.stdout, child.stderr]) stream?.pipe(output, { end: false });
    child.on("error", () => finish(127));
    child.on("close", (code) => finish(code ?? 1));
  });
}

/** Runs all projects. The output of a concurrent run is shown when the other one has ended. */
async function everyProject(args: readonly string[]): Promise<{ readonly code: number; readonly reports: string[] }> {
  const reports: string[] = [];
  const codes: number[] = [];
  for (const stage of STAGES) {
    const held: PassThrough[] = [];
    const running = stage.map((projects, index) => {
      const report = REPORT.replace(".json", `-${projects.join("-")}.json`);
      rmSync(join(projectRoot, report), { force: true });
      reports.push(report);
      const output = index === 0 ? undefined : new PassThrough({ highWaterMark: HELD_BYTES });
      if (output !== undefined) held.push(output);
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
      return vitest([...projects.map((name) => `--project=${name}`), ...args, ...reporters], output);
    });
    const [first = Promise.resolve(0), ...others] = running;
    codes.push(await first);
    const shown = held.map((output) => pipeline(output, process.stdout, { end: false }));
    codes.push(...(await Promise.all(others)));
    for (const output of held) output.end();
    await Promise.all(shown);
  }
  return { code: Math.max(...codes), reports };
}

async function main(args: readonly string[]): Promise<number> {
  const assets = await buildAssets();
  if (assets.code !== 0) {
    process.stderr.write(`npm test: the assets could not be built:\n${assets.output}\n`);
    return assets.code;
  }
  if (!isWhole(args)) return vitest(args);
  rmSync(join(projectRoot, REPORT), { force: true });
  const { code, reports } = await everyProject(args);
  const report = mergeReports(
    reports.map((path) => JSON.parse(readFileSync(join(projectRoot, path), "utf8")) as TestReport),
  );
  writeFileSync(join(projectRoot, REPORT), JSON.stringify(report));
  writeFileSync(join(projectRoot, TABLE), printTable(tableOfRules(statedRules(), report)));
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped = 0 } = report;
  const left = skipped > 0 ? `, ${skipped} skipped` : "";
  process.stdout.write(`\n${printFailures(report)}\nAll projects: ${passed} tests passed, ${failed} failed${left}\n`);
  const missed = rulesMissed(report);
  if (missed.length === 0) return code;
  const lines = missed.map(({ rule, reason }) => `${rule}: ${reason}`);
  process.stderr.write(`\nRules without a passing test (see ${TABLE}):\n${lines.join("\n")}\n`);
  return Math.max(code, 1);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
