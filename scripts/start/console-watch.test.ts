/** Which changes rebuild the console while the server runs. */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchConsole } from "./console-watch.ts";

let folder: string;
let stop = (): void => undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "console-"));
  write("title", "first");
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true, force: true });
});
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** Starts it with a build that reads `title` from whichever folder has it. */
function watchTitle(whenRead: (text: string) => Promise<void> = async () => undefined, name = "title") {
  const built: string[] = [];
  const lines: string[] = [];
  const build = async (): Promise<boolean> => {
    const text = readFileSync(join(folder, name), "utf8");
    await whenRead(text);
    return built.push(text) > 0;
  };
  stop = watchConsole({ folders: [folder, join(folder, "none")], build, print: (line) => lines.push(line) });
  return { built, lines };
}

test("a changed or replaced file rebuilds it, and a build error is reported until it is fixed [CN-12]", async () => {
  const { built, lines } = watchTitle(async (text) => {
    if (text === "fault") throw new Error("it cannot be built");
  });
  write("title", "second");
  await expect.poll(() => built.at(-1)).toBe("second");
  await expect.poll(() => lines.at(-1)).toMatch(/^The console was rebuilt/);
  write("title", "fault");
  await expect.poll(() => lines.at(-1)).toBe("it cannot be built");
  // Saves the file as an editor does.
  write("title.new", "third");
  renameSync(join(folder, "title.new"), join(folder, "title"));
  await expect.poll(() => built.at(-1)).toBe("third");
  write("title", "fourth");
  await expect.poll(() => built.at(-1)).toBe("fourth");
});

test("a file in a replaced folder rebuilds it too [CN-12]", async () => {
  mkdirSync(join(folder, "part"));
  write("part/title", "first");
  const { built } = watchTitle(undefined, "part/title");
  rmSync(join(folder, "part"), { recursive: true });
  mkdirSync(join(folder, "part"));
  write("part/title", "second");
  await expect.poll(() => built.at(-1)).toBe("second");
  write("part/title", "third");
  await expect.poll(() => built.at(-1)).toBe("third");
});

test("a change during a build causes another build afterwards [CN-12]", async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { built } = watchTitle(async (text) => {
    if (text !== "second") return;
    begun.resolve();
    await gate.promise;
  });
  write("title", "second");
  await begun.promise;
  write("title", "third");
  gate.resolve();
  await expect.poll(() => built.at(-1)).toBe("third");
  expect(built.filter((text) => text === "second")).toHaveLength(1);
});
