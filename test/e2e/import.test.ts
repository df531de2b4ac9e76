/** `npm run import` for an operator: interrupted, cut off by a power failure, resumed; no line is lost or duplicated. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { runProgram } from "../support/server/run-program.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

const projectRoot = resolve(import.meta.dirname, "../..");
const KEY = "import-command-key";
const LINES = 6_000;

let server: RunningServer;
let folder = "";
const started = disposeAfterTests();
beforeAll(async () => {
  const keys = [{ key: KEY, did: "did:web:import.test", scopes: ["registry:admin"] }];
  server = started(await startRunningServer({ REGISTRY_BOOTSTRAP_KEYS: JSON.stringify(keys) }));
  folder = mkdtempSync(join(tmpdir(), "twinedge-import-"));
  started({ close: () => rmSync(folder, { recursive: true, force: true }) });
});

const command = (...words: readonly string[]) => ["scripts/import.ts", ...words, "--url", server.url];
const options = { cwd: projectRoot, env: { ...process.env, REGISTRY_API_KEY: KEY } };

function run(...words: readonly string[]) {
  return runProgram(process.execPath, command(...words), options);
}

/** Started, and the server has stored some of it. */
async function begin(file: string): Promise<ChildProcess> {
  const before = await storedLines();
  const child = spawn(process.execPath, command(file, "--id", "e2e"), { ...options, stdio: "ignore" });
  while ((await storedLines()) === before) if (child.exitCode !== null) throw new Error("it was over too soon");
  return child;
}

interface Status {
  readonly done: readonly { readonly from: number; readonly to: number }[];
}

async function storedLines(): Promise<number> {
  const answer = await fetch(`${server.url}/v1/imports/e2e`, { headers: { Authorization: `Bearer ${KEY}` } });
  if (answer.status === 404) return 0;
  const { done } = await answer.json<Status>();
  return done.reduce((total, { from, to }) => total + to - from + 1, 0);
}

async function exitOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

test("after Ctrl-C, a power failure of the server and a resume, the export has each domain once", async () => {
  const file = join(folder, "domains.ndjson");
  expect((await run("--make", String(LINES), file)).status).toBe(0);

  const interrupted = await begin(file);
  interrupted.kill("SIGINT");
  expect(await exitOf(interrupted)).toBe(130);
  const first = await storedLines();
  expect(first).toBeGreaterThan(0);

  const cutOff = await begin(file);
  await server.kill();
  expect(await exitOf(cutOff)).toBe(3);
  await server.startAgain();
  const second = await storedLines();
  expect(second).toBeGreaterThan(first);
  expect(second).toBeLessThan(LINES);

  const rest = await run(file, "--id", "e2e");
  expect([rest.status, rest.stderr]).toEqual([
    0,
    expect.stringContaining(`Continuing import e2e: ${second} lines are done`),
  ]);
  expect(rest.stderr).toContain(`${LINES - second} created`);
  expect((await run(file, "--id", "e2e")).stderr).toContain("nothing to do");

  const exported = join(folder, "out.ndjson");
  expect((await run("--export", exported)).status).toBe(0);
  const domains = readFileSync(exported, "utf8").trimEnd().split("\n");
  const numbers = domains.map((line) => (JSON.parse(line) as { externalId: string }).externalId);
  expect([numbers.length, new Set(numbers).size]).toEqual([LINES, LINES]);
});
