/** A build during a running server must not make it reload: unchanged files are not rewritten. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildAssets } from "./build-assets.ts";

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "assets-"));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

test("a second build rewrites nothing, and after a change, only that file is replaced, whole", async () => {
  const folder = join(scratch, "assets");
  const state = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const { ino, mtimeMs, ctimeMs } = statSync(path);
      return [path, ino, mtimeMs, ctimeMs] as const;
    });
  await buildAssets(folder);
  const first = state();
  expect(first.length).toBeGreaterThan(15);
  // Nothing is left next to the folder either.
  expect(readdirSync(scratch)).toEqual(["assets"]);
  await buildAssets(folder);
  expect(state()).toEqual(first);

  const changed = join(folder, "docs/reference.js");
  const right = readFileSync(changed, "utf8");
  writeFileSync(changed, "stale");
  const stale = new Map(state().map((entry) => [entry[0], entry]));
  await buildAssets(folder);
  expect(readFileSync(changed, "utf8")).toBe(right);
  const rewritten = state().filter((entry) => stale.get(entry[0])?.[1] !== entry[1] && statSync(entry[0]).isFile());
  expect(rewritten.map(([path]) => path)).toEqual([changed]);
});
