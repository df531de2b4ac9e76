/**
 * `npm test`: all test projects, then whether the run held every rule that docs/wire.md names a test for. What stands
 * behind `npm test --` goes on to vitest. A run of a part of the tests, and one that only asks for help, is not asked about
 * rules.
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildAssets } from "./build-assets.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { brokenReferences, referencesIn, type TestReport } from "./tests/rules.ts";

const REPORT = "dist/test-report.json";
const RULES = "docs/wire.md";

/** Whether vitest runs everything: options that choose, and names of files, all leave something out. */
export function isWhole(args: readonly string[]): boolean {
  const chooses = /^(-t|--testNamePattern|--project|--shard|--changed|--related|--bail|--help|-h|--list)\b/;
  return args.every((arg) => arg.startsWith("-") && !chooses.test(arg));
}

/** One line for each rule that the run did not hold. */
export function brokenRules(report: TestReport): readonly string[] {
  return brokenReferences(referencesIn(readFileSync(join(projectRoot, RULES), "utf8")), report);
}

/** Browser tests are skipped where there is no browser (test/support/browser.ts), unless one is required. */
export function isExcused(line: string): boolean {
  return process.env["REQUIRE_BROWSER"] === undefined && / is (?:skipped|pending)$/.test(line);
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
  const broken = brokenRules(JSON.parse(readFileSync(join(projectRoot, REPORT), "utf8")) as TestReport);
  if (broken.length === 0) return code;
  process.stderr.write(`\n${RULES} names tests that were not run or did not pass:\n${broken.join("\n")}\n`);
  return broken.every(isExcused) ? code : Math.max(code, 1);
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
