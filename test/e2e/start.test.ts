/** `npm start` as a process: it ends on request, and survives the runtime under it. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startServer, type Server } from "../../scripts/start/server.ts";
import { freePort } from "../support/server/free-port.ts";
import { removeDirectory } from "../support/server/remove-directory.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const project = resolve(import.meta.dirname, "../..");
/** Milliseconds: a very busy machine; only ends a process that hangs. */
const START_LIMIT = 240_000;

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/health`, { signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
}

/** The processes whose command line contains the text, by id. */
function processesWith(text: string): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => (line.includes(text) && line.includes("workerd") ? [Number.parseInt(line, 10)] : []));
}

function npmStart(port: number, stateFolder: string): ChildProcess & { output: () => string } {
  // A separate process group, so that the test can end the processes that `npm start` left behind.
  const child = spawn("npm", ["start", "--", "--port", String(port), "--state", stateFolder], {
    cwd: project,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return Object.assign(child, { output: () => output });
}

/** The Workers runtimes below a wrangler process, by id. */
function runtimesBelow(parent: number): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [pid = 0, ppid] = line.trim().split(/ +/, 2).map(Number);
    return ppid === parent && line.includes("workerd serve") ? [pid] : [];
  });
}

function parentOf(pid: number): number {
  return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }));
}

function portHolder(port: number): number {
  const [holder] = processesWith(`entry=localhost:${port}`);
  if (holder === undefined) throw new Error(`no process holds port ${port}`);
  return holder;
}

interface Started {
  readonly port: number;
  readonly server: Server;
  readonly printed: readonly string[];
}

/** A Worker that starts within a second: the tests of a lost runtime kill wrangler's processes, whatever they run. */
function smallWorker(): string {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, "worker.js"), "export default { fetch: () => new Response() };");
  const config = { name: "small", main: "worker.js", compatibility_date: "2026-11-01" };
  writeFileSync(join(folder, "wrangler.json"), JSON.stringify(config));
  return join(folder, "wrangler.json");
}

async function startOver(crashPatience: number): Promise<Started> {
  const port = await freePort();
  const printed: string[] = [];
  const server = startServer({
    port,
    stateFolder: temporaryDirectory(),
    config: smallWorker(),
    variables: {},
    print: (line) => printed.push(line),
    crashPatience,
  });
  onTestFinished(() => server.stop());
  expect(await server.up()).toBeDefined();
  return { port, server, printed };
}

test("a server that does not respond after a runtime died is reported as lost after the timeout [ALL-35]", async () => {
  const crashPatience = 4_000;
  const { port, server, printed } = await startOver(crashPatience);
  const holder = portHolder(port);
  // It accepts connections and never responds.
  process.kill(holder, "SIGSTOP");
  const since = Date.now();
  for (const pid of runtimesBelow(parentOf(holder))) if (pid !== holder) process.kill(pid, "SIGKILL");
  await server.ended;
  expect(server.wasLost()).toBe(true);
  expect(Date.now() - since).toBeGreaterThan(crashPatience);
  expect(printed.join("\n")).toContain("did not restart, so it is started again");
});

test.each(["the runtime that holds the port", "both runtimes"])(
  "a server that loses %s is reported as lost at once, without waiting for the timeout [ALL-35]",
  async (which) => {
    const { port, server, printed } = await startOver(START_LIMIT);
    const holder = portHolder(port);
    const killed = which === "both runtimes" ? runtimesBelow(parentOf(holder)) : [holder];
    expect(killed).toHaveLength(which === "both runtimes" ? 2 : 1);
    for (const pid of killed) process.kill(pid, "SIGKILL");
    // Far shorter than the timeout on any machine: the test would time out first.
    await server.ended;
    expect(server.wasLost()).toBe(true);
    expect(printed.join("\n")).toContain("did not restart, so it is started again");
  },
);

describe("`npm start`", () => {
  const stateFolder = mkdtempSync(join(tmpdir(), "twinedge-start-"));
  let port: number;
  let npm: ReturnType<typeof npmStart>;
  beforeAll(async () => {
    port = await freePort();
    npm = npmStart(port, stateFolder);
  });
  afterAll(() => {
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    } catch {
      // All of it has ended, as it should.
    }
    removeDirectory(stateFolder);
  });

  test("reports at once that it is starting", async () => {
    await expect.poll(npm.output).toContain("Starting twinedge");
    expect(npm.output()).not.toContain("Ctrl-C ends it");
    // A cold start of everything: assets, console, migrations, bundle.
    await expect.poll(npm.output, { timeout: START_LIMIT }).toContain("Ctrl-C ends it");
    expect(processesWith(`entry=localhost:${port}`)).toHaveLength(1);
  });

  test("serves again after both of its runtimes were killed at once [ALL-35]", async () => {
    const holder = portHolder(port);
    for (const pid of runtimesBelow(parentOf(holder))) process.kill(pid, "SIGKILL");
    await expect.poll(() => answers(port), { timeout: START_LIMIT }).toBe(true);
    expect(portHolder(port)).not.toBe(holder);
    expect(npm.output()).toContain("it is started again");
  });

  test("ends the server on a SIGTERM to npm", async () => {
    expect(processesWith(`entry=localhost:${port}`)).toHaveLength(1);
    const ended = once(npm, "exit");
    npm.kill("SIGTERM");
    await ended;
    await expect.poll(() => processesWith(`entry=localhost:${port}`)).toEqual([]);
    expect(await answers(port)).toBe(false);
  });
});
