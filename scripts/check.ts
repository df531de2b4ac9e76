/**
 * `npm run check`: runs every step of check/steps.ts, as many concurrently as there are cores, and prints one line per step, then
 * the errors. Needs no network and no running server.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { steps, type Step } from "./check/steps.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const usage = `Usage: npm run check -- [options] [step ...]

Format, lint with type information and import rules, types, bindings, generated files, dead code, house rules, unit tests.
Lint reads only files that have changed since it last passed here. Unit tests run if they import a changed file or belong to
scripts/check; slow files and most cases of property tests are left to npm test. A change of packages, settings or schemas
checks everything, as do --all and CI.

Steps: ${steps.map(({ name }) => name).join(", ")}. All of them when none is named.

  --all             lint and test everything, including files that have not changed
  --fix             repair format, lint and the generated files first
  --without STEP    all steps but this one; may be repeated
  --help            this text

Exit codes: 0 all steps passed, 1 a step failed, 2 wrong usage.
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      fix: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      without: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  else process.exitCode = await check(chosen(positionals, values.without), values);
} catch (error) {
  process.stderr.write(wrongUsage("npm run check", error as Error));
  process.exitCode = WRONG_USAGE;
}

function chosen(names: readonly string[], without: readonly string[]): readonly Step[] {
  const unknown = [...names, ...without].find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined) throw new Error(`unknown step "${unknown}"`);
  return steps.filter(({ name }) => (names.length === 0 || names.includes(name)) && !without.includes(name));
}

interface Options {
  readonly fix: boolean;
  readonly all: boolean;
}

async function check(chosenSteps: readonly Step[], { fix: fixFirst, all }: Options): Promise<number> {
  const start = performance.now();
  // Sequentially: they write shared files.
  if (fixFirst) for (const { fix } of chosenSteps) await fix?.();
  const waiting = [...chosenSteps];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const details = await report(step, all);
      if (details !== undefined) failures.push(details);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  process.stdout.write(failures.join(""));
  const summary =
    failures.length === 0 ? "all steps passed" : `${failures.length} of ${chosenSteps.length} steps failed`;
  process.stdout.write(`\n${summary}, ${seconds(start)}\n`);
  return failures.length === 0 ? 0 : 1;
}

/** Runs and prints the step; returns its errors if it failed. */
async function report({ name, run }: Step, all: boolean): Promise<string | undefined> {
  const start = performance.now();
  const { code, output, note } = await run(all);
  const scope = note === undefined ? "" : `  (${note})`;
  process.stdout.write(`${code === 0 ? "ok    " : "FAILED"}  ${name.padEnd(13)} ${seconds(start)}${scope}\n`);
  return code === 0 ? undefined : `\n${name}\n${"-".repeat(name.length)}\n${output.trim()}\n`;
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
