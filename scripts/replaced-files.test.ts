import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../test/support/server/temporary-directory.ts";
import { replaceFolder } from "./replaced-files.ts";

const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

test("the folder has the given files, and nothing else is next to it", async () => {
  const parent = temporaryDirectory();
  const folder = join(parent, "built");
  mkdirSync(join(folder, "old"), { recursive: true });
  writeFileSync(join(folder, "old/one.js"), "of before");
  await replaceFolder(folder, filesOf({ "a.js": "a", "deep/er/b.js": "b" }));
  expect(readFileSync(join(folder, "deep/er/b.js"), "utf8")).toBe("b");
  const files = readdirSync(parent, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).toSorted()).toEqual(["a.js", "b.js"]);
});

test("an unchanged file is not touched, a changed one is replaced by a new file", async () => {
  const folder = join(temporaryDirectory(), "built");
  await replaceFolder(folder, filesOf({ "same.js": "same", "changed.js": "before" }));
  const inode = (name: string) => statSync(join(folder, name)).ino;
  const times = (name: string) => statSync(join(folder, name), { bigint: true }).ctimeNs;
  const before = { same: times("same.js"), changed: inode("changed.js") };
  await replaceFolder(folder, filesOf({ "same.js": "same", "changed.js": "after" }));
  expect(times("same.js")).toBe(before.same);
  // A reader that has opened the old file reads it to its end.
  expect(inode("changed.js")).not.toBe(before.changed);
  expect(readFileSync(join(folder, "changed.js"), "utf8")).toBe("after");
});

test("concurrent builds leave each file whole at every moment", async () => {
  const folder = join(temporaryDirectory(), "built");
  const build = (round: number) => replaceFolder(folder, filesOf({ "large.js": String(round).repeat(1_000_000) }));
  await build(9);
  const sizes = new Set<number>();
  const reading = setInterval(() => sizes.add(statSync(join(folder, "large.js")).size), 1);
  for (let round = 0; round < 5; round += 1) await Promise.all([build(round), build(round)]);
  clearInterval(reading);
  expect([...sizes]).toEqual([1_000_000]);
});
