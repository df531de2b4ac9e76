/**
 * `npm run wire-types`: writes sdk/src/core/wire.ts, the types of what travels between an oracle and its clients, from the
 * schemas of protocol/. The published SDK has them without zod, so that they compile with any version of it. With `--check`
 * nothing is written.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { wireTypes } from "./sdk/wire-types.ts";
import { WRONG_USAGE, wrongUsage } from "./wrong-usage.ts";

const usage = `Usage: npm run wire-types -- [options]

  --check  write nothing; fail when sdk/src/core/wire.ts is not what protocol/ gives
  --help   this text

Exit codes: 0 done, 1 not current, 2 wrong usage.
`;
const path = join(projectRoot, "sdk/src/core/wire.ts");

try {
  const { values } = parseArgs({
    options: { check: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) process.stdout.write(usage);
  else process.exitCode = write(values.check);
} catch (error) {
  process.stderr.write(wrongUsage("npm run wire-types", error as Error));
  process.exitCode = WRONG_USAGE;
}

function write(checkOnly: boolean): number {
  const options = { input: wireTypes(), env: projectEnvironment(), cwd: projectRoot, encoding: "utf8" } as const;
  const text = execFileSync("oxfmt", ["--stdin-filepath=wire.ts"], options);
  if (!checkOnly) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    process.stdout.write("sdk/src/core/wire.ts is not current. Run `npm run wire-types` and commit what it writes.\n");
    return 1;
  }
  return 0;
}
