/** Which checks a change requires, in a real Git repository. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { currentTree, scopeBetween, treeBefore } from "./changed-files.ts";

let root: string;
const git = (...args: readonly string[]) => execFileSync("git", [...args], { cwd: root, stdio: "pipe" });
const write = (name: string, text: string) => writeFileSync(join(root, name), text);

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "changed-files-"));
  git("init", "--quiet");
  write(".gitignore", "ignored.ts\n");
  write("a.ts", "1");
  git("add", "--all");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The scope of the checks after `change`. */
function scopeAfter(change: () => void) {
  const before = currentTree(root);
  change();
  const after = currentTree(root);
  if (before === undefined || after === undefined) throw new Error("Git has no tree");
  return scopeBetween(before, after, root);
}

test("changed, added and deleted files, including untracked ones, and no others", () => {
  expect(scopeAfter(() => undefined)).toEqual([]);
  expect(scopeAfter(() => write("ignored.ts", "1"))).toEqual([]);
  expect(scopeAfter(() => write("b.tsx", "1"))).toEqual(["b.tsx"]);
  expect(scopeAfter(() => write("a.ts", "2"))).toEqual(["a.ts"]);
  expect(scopeAfter(() => rmSync(join(root, "b.tsx")))).toEqual(["b.tsx"]);
});

test("a file counts as changed if it changed in the second of Git's last look and kept its length", () => {
  const second = new Date("2026-01-01T00:00:00Z");
  // Git's own change time cannot be set; with this setting, Git compares the rest.
  git("config", "core.trustctime", "false");
  write("a.ts", "3");
  utimesSync(join(root, "a.ts"), second, second);
  git("add", "--all");
  utimesSync(join(root, ".git/index"), second, second);
  const change = () => {
    write("a.ts", "4");
    utimesSync(join(root, "a.ts"), second, second);
  };
  expect(scopeAfter(change)).toEqual(["a.ts"]);
});

test.each(["package-lock.json", "vitest.config.ts", "wrangler.toml", "0001.sql"])(
  "a change of %s requires checking every file",
  (name) => {
    expect(scopeAfter(() => write(name, "1"))).toBe("everything");
  },
);

test("a missing tree or repository requires checking everything", () => {
  expect(scopeBetween("0123456789012345678901234567890123456789", currentTree(root) ?? "", root)).toBe("everything");
  expect(currentTree(tmpdir())).toBeUndefined();
});

test("a fresh clone starts with the commit before the last one, and with everything if there is none", () => {
  const commit = () => git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "--message=1");
  git("add", "--all");
  commit();
  expect(treeBefore(root)).toBeUndefined();
  write("last.ts", "1");
  git("add", "--all");
  commit();
  expect(scopeBetween(treeBefore(root) ?? "", currentTree(root) ?? "", root)).toEqual(["last.ts"]);
});
