/** A command in a clone without installed packages says what to do, in one sentence and without a stack trace. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../test/support/server/temporary-directory.ts";

const project = join(import.meta.dirname, "..");

test("nothing is installed yet", () => {
  const clone = temporaryDirectory();
  mkdirSync(join(clone, "scripts"));
  copyFileSync(join(project, "scripts/preflight.mjs"), join(clone, "scripts/preflight.mjs"));
  writeFileSync(join(clone, "scripts/keys.ts"), 'import "not-installed";\n');
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", "./scripts/preflight.mjs", "scripts/keys.ts", "list"],
    { cwd: clone, encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([
    1,
    "Run `npm install` first: nothing is installed yet. (It brings its own Node.js 24; yours can stay.)\n",
  ]);
});

test("every command of package.json that runs a script of ours begins with it", () => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const ours = Object.values(scripts).filter((command) => /\bnode\b/.test(command));
  expect(ours.length).toBeGreaterThan(10);
  expect(ours.filter((command) => !command.includes("node --import ./scripts/preflight.mjs "))).toEqual([]);
});
