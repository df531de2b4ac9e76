/**
 * `npm run wire-types`: generates sdk/src/core/wire.ts, the types of the wire between an oracle and its clients, from the schemas
 * of protocol/. The published SDK has them without zod, so that they compile with any version of it. With `--check` nothing is
 * written.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineCommand, runAs } from "./command.ts";
import { projectEnvironment, projectRoot } from "./run-command.ts";
import { wireTypes } from "./sdk/wire-types.ts";

const usage = `Usage: npm run wire-types -- [options]

  --check  write nothing; fail when sdk/src/core/wire.ts is not what protocol/ gives
  --help   this text

Exit codes: 0 done, 1 not current, 2 wrong usage.
`;
const path = join(projectRoot, "sdk/src/core/wire.ts");

const command = defineCommand({
  name: "npm run wire-types",
  usage,
  options: { check: { type: "boolean", default: false } },
  read: ({ values }) => values.check,
});
await runAs(command, write);

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
