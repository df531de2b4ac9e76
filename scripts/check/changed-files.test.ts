/** What a change asks to be checked again, over a real repository of Git. */
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

/** What has to be checked after `change`. */
function scopeAfter(change: () => void) {
  const before = currentTree(root);
  change();
  const after = currentTree(root);
  if (before === undefined || after === undefined) throw new Error("Git has no tree");
  return scopeBetween(before, after, root);
}

test("files that changed, came and went, including those that Git does not know yet, and no others", () => {
  expect(scopeAfter(() => undefined)).toEqual([]);
  expect(scopeAfter(() => write("ignored.ts", "1"))).toEqual([]);
  expect(scopeAfter(() => write("b.tsx", "1"))).toEqual(["b.tsx"]);
  expect(scopeAfter(() => write("a.ts", "2"))).toEqual(["a.ts"]);
  expect(scopeAfter(() => rmSync(join(root, "b.tsx")))).toEqual(["b.tsx"]);
});

test("a file that changed in the second in which Git last looked, and kept its length, has changed", () => {
  const second = new Date("2026-01-01T00:00:00Z");
  // The time of a change inside of Git's own second cannot be set; without it Git compares what can.
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
  "%s decides for every file",
  (name) => {
    expect(scopeAfter(() => write(name, "1"))).toBe("everything");
  },
);

test("a tree that Git does not have, or no repository, is no reason to leave something out", () => {
  expect(scopeBetween("0123456789012345678901234567890123456789", currentTree(root) ?? "", root)).toBe("everything");
  expect(currentTree(tmpdir())).toBeUndefined();
});

test("a fresh folder begins with the commit before the last one, and with everything where there is none", () => {
  const commit = () => git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "--message=1");
  git("add", "--all");
  commit();
  expect(treeBefore(root)).toBeUndefined();
  write("last.ts", "1");
  git("add", "--all");
  commit();
  expect(scopeBetween(treeBefore(root) ?? "", currentTree(root) ?? "", root)).toEqual(["last.ts"]);
});
