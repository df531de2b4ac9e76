/** `npm start` as a process: it ends when it is asked to, and outlives the runtime under it. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../scripts/start/server.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const project = resolve(import.meta.dirname, "../..");
/** Milliseconds: a very busy machine; it only ends what hangs. */
const START_LIMIT = 240_000;

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://localhost:${port}/health`, { signal: AbortSignal.timeout(2_000) })).status === 200;
  } catch {
    return false;
  }
}

/** The processes whose command line holds the text, by id. */
function processesWith(text: string): readonly number[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => (line.includes(text) && line.includes("workerd") ? [Number.parseInt(line, 10)] : []));
}

function npmStart(port: number): ChildProcess & { output: () => string } {
  // A process group of its own, so that the test can end what `npm start` left behind.
  const child = spawn("npm", ["start", "--", "--port", String(port), "--state", temporaryDirectory()], {
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
  onTestFinished(() => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All of it has ended, as it should.
    }
  });
  return Object.assign(child, { output: () => output });
}

test("it says at once that it starts, and a SIGTERM to npm ends the server with it", async () => {
  const port = await freePort();
  const npm = npmStart(port);
  await expect.poll(npm.output).toContain("Starting twinedge");
  expect(npm.output()).not.toContain("Ctrl-C ends it");
  // A cold start of everything: assets, console, migrations, bundle.
  await expect.poll(npm.output, { timeout: START_LIMIT }).toContain("Ctrl-C ends it");
  expect(processesWith(`entry=localhost:${port}`)).toHaveLength(1);
  const ended = once(npm, "exit");
  npm.kill("SIGTERM");
  await ended;
  await expect.poll(() => processesWith(`entry=localhost:${port}`)).toEqual([]);
  expect(await answers(port)).toBe(false);
});

test("a server whose runtime died for good is lost only after its patience, and says so", async () => {
  const port = await freePort();
  const printed: string[] = [];
  const crashPatience = 4_000;
  const server = startServer({
    port,
    stateFolder: temporaryDirectory(),
    variables: { ENVIRONMENT: "development", ORACLE_SIGNING_SEED: "07".repeat(32) },
    print: (line) => printed.push(line),
    crashPatience,
  });
  onTestFinished(() => server.stop());
  expect(await server.up()).toBeDefined();
  const [holder] = processesWith(`entry=localhost:${port}`);
  if (holder === undefined) throw new Error("nobody holds the port");
  process.kill(holder, "SIGKILL");
  const since = Date.now();
  await server.ended;
  expect(server.wasLost()).toBe(true);
  expect(Date.now() - since).toBeGreaterThan(crashPatience);
  expect(printed.join("\n")).toContain("did not come back; it is started again");
});
