/** The state is in use exactly as long as the process that claimed it is alive. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claimState, runningServer } from "./local-state.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "local-state-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a missing or empty folder, or one with a damaged note, has no server", async () => {
  expect(await runningServer(join(folder, "missing"))).toBeUndefined();
  expect(await runningServer(folder)).toBeUndefined();
  writeFileSync(join(folder, "server.json"), '{"pid":1,"po');
  expect(await runningServer(folder)).toBeUndefined();
});

test("a claimed state is in use until it is released", async () => {
  const giveBack = await claimState(folder, 3000);
  expect(await runningServer(folder)).toMatchObject({ pid: process.pid, port: 3000 });
  giveBack();
  expect(await runningServer(folder)).toBeUndefined();
});

test("the note of a killed process is ignored", async () => {
  const module = pathToFileURL(join(import.meta.dirname, "local-state.ts")).href;
  const program = `const { claimState } = await import(${JSON.stringify(module)});
    await claimState(${JSON.stringify(folder)}, 3000);
    console.log("claimed");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((claimed) => child.stdout.once("data", claimed));
  expect(await runningServer(folder)).toMatchObject({ pid: child.pid });
  const ended = new Promise((end) => child.once("close", end));
  child.kill("SIGKILL");
  await ended;
  expect(await runningServer(folder)).toBeUndefined();
});
