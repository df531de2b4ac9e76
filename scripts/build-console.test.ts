/**
 * The console's build, with a console of two files: when it runs, in which order it writes, and which files it keeps for open
 * pages.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildConsole, type ConsoleBuild } from "./build-console.ts";
import { projectRoot } from "./run-command.ts";

let scratch: string;
let build: ConsoleBuild;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "console-"));
  const source = join(scratch, "source");
  mkdirSync(source);
  writeFileSync(join(source, "index.html"), '<!doctype html><script type="module" src="/main.js"></script>');
  writeFileSync(join(source, "vite.config.js"), 'export default { base: "/console/" };');
  say("first");
  const inputs = [relative(projectRoot, source)];
  build = { source, inputs, target: join(scratch, "served"), record: join(scratch, "record.json") };
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** Writes the console's script. */
function say(text: string): void {
  writeFileSync(join(scratch, "source/main.js"), `document.title = ${JSON.stringify(text)} + process.env.NODE_ENV;`);
}

function scripts(): readonly string[] {
  return readdirSync(join(build.target, "assets")).toSorted();
}

/** The script that the page names. */
function named(): string {
  return /assets\/([^"]+)/.exec(readFileSync(join(build.target, "index.html"), "utf8"))?.[1] ?? "";
}

test("a second build does nothing, and neither does one after a change of a test [CN-12]", async () => {
  expect(await buildConsole(build)).toBe(true);
  expect(readFileSync(join(build.target, "assets", named()), "utf8")).toContain("production");
  const times = () => [named(), scripts(), statSync(join(build.target, "index.html")).ctimeMs];
  const first = times();
  writeFileSync(join(scratch, "source/main.test.ts"), "changed");
  expect(await buildConsole(build)).toBe(false);
  expect(times()).toEqual(first);
  // No unfinished file is left.
  expect(readdirSync(scratch).toSorted()).toEqual(["record.json", "served", "source"]);
});

test("files of the previous build stay until the next one [CN-12]", async () => {
  await buildConsole(build);
  const first = named();
  say("second");
  expect(await buildConsole(build)).toBe(true);
  const second = named();
  expect(scripts()).toEqual([first, second].toSorted());
  // Another source with an equal result: the first build's files are not replaced.
  writeFileSync(
    join(scratch, "source/main.js"),
    `// A comment.\n${readFileSync(join(scratch, "source/main.js"), "utf8")}`,
  );
  expect(await buildConsole(build)).toBe(true);
  expect(scripts()).toEqual([first, second].toSorted());
  say("third");
  await buildConsole(build);
  expect(scripts()).toEqual([second, named()].toSorted());
});

test("a failed build leaves the served files unchanged, and is repeated later [CN-12]", async () => {
  await buildConsole(build);
  const first = named();
  writeFileSync(join(scratch, "source/main.js"), "const = ;");
  await expect(buildConsole(build)).rejects.toThrow(/^Vite could not build the console:\n[^]*main\.js/);
  expect([named(), scripts()]).toEqual([first, [first]]);
  expect(readdirSync(scratch).toSorted()).toEqual(["record.json", "served", "source"]);
  say("mended");
  expect(await buildConsole(build)).toBe(true);
  expect(named()).not.toBe(first);
});

test("files deleted from the served folder are built again", async () => {
  await buildConsole(build);
  rmSync(build.target, { recursive: true });
  expect(await buildConsole(build)).toBe(true);
  expect(existsSync(join(build.target, "assets", named()))).toBe(true);
});
