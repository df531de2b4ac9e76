import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { openStateFile, type ChatState } from "./state-file.ts";

const state: ChatState = {
  version: 1,
  url: "http://localhost:3000",
  sessionId: "0b7c2c1e-5a0e-4d0c-9a55-6d1f6f6a8e10",
  run: { runId: "r", lastId: 4_294_967_297, text: "part 1 ", ended: false },
};

test("a written state is read again, only by its owner, and leaves no other file", () => {
  const directory = join(temporaryDirectory(), "chat");
  openStateFile(directory).write(state);
  expect(openStateFile(directory).read()).toEqual(state);
  expect(readdirSync(directory)).toEqual(["state.json"]);
  expect(statSync(join(directory, "state.json")).mode & 0o777).toBe(0o600);
});

test("a missing file, a damaged one and one of another version count as no state", () => {
  const directory = temporaryDirectory();
  const file = openStateFile(directory);
  expect(file.read()).toBeUndefined();
  for (const text of ["", '{"version":1,', JSON.stringify({ ...state, version: 2 })]) {
    writeFileSync(join(directory, "state.json"), text);
    expect(file.read()).toBeUndefined();
  }
});

test("a reader never sees half a state, and a kill does not leave one", async () => {
  const directory = temporaryDirectory();
  // Long enough that a plain write could be seen half done.
  const words = 50_000;
  const writer = spawn(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { openStateFile } from ${JSON.stringify(join(import.meta.dirname, "state-file.ts"))};
     const file = openStateFile(${JSON.stringify(directory)});
     const state = ${JSON.stringify(state)};
     const text = "word ".repeat(${words});
     for (let lastId = 1; ; lastId += 1) {
       file.write({ ...state, run: { ...state.run, lastId, text } });
       if (lastId === 1) process.stdout.write("writing");
     }`,
  ]);
  await once(writer.stdout, "data");
  const file = openStateFile(directory);
  const seen = new Set<number | undefined>();
  for (let read = 0; read < 300; read += 1) seen.add(file.read()?.run?.lastId);
  writer.kill("SIGKILL");
  await once(writer, "exit");
  expect(seen).not.toContain(undefined);
  expect(seen.size).toBeGreaterThan(1);
  expect(file.read()?.run?.text).toBe("word ".repeat(words));
});
