/**
 * The built Worker on a port of its own, over storage of its own, for end-to-end tests: killed as a power cut would, and started
 * again over the same storage. The runtime runs what built-worker.ts has built once; `npm start` has tests of its own.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { wranglerEnvironment, wranglerProgram } from "../../scripts/wrangler.ts";
import { BUILT, type WorkerProcessSettings } from "./built-worker.ts";
import { freePort } from "./free-port.ts";
import { removeDirectory } from "./temporary-directory.ts";

const projectRoot = resolve(import.meta.dirname, "../..");

/** Milliseconds: migrations, bundle and runtime on a very busy machine; less than a set-up may take. */
const startLimit = 240_000;
/** Milliseconds between two looks at `/health`. */
const pollInterval = 100;

export interface RunningServer {
  readonly url: string;
  /** SIGKILL to the server and to all that it started; answers when its port is closed. */
  kill(): Promise<void>;
  /** Starts it again, on the same port, over what was stored. */
  startAgain(): Promise<void>;
  /** What it has written so far, since it was last started. */
  log(): string;
  /** Kills it, if it runs, and clears its storage. */
  dispose(): Promise<void>;
}

/**
 * @param variables of the Worker, over those of `.dev.vars`.
 * @param config a wrangler.toml of another Worker, which then takes the place of ours.
 */
export async function startRunningServer(
  variables: Readonly<Record<string, string>> = {},
  config?: string,
): Promise<RunningServer> {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-server-"));
  // The tour is no test, and has built it itself.
  const built = config === undefined ? (process.env[BUILT] ?? inject("builtWorker")) : "";
  if (config === undefined) cpSync(join(built, "state"), storage, { recursive: true });
  const port = await freePort();
  const url = `http://localhost:${port}`;
  let child = start();

  function start(): ChildProcess & { log: () => string } {
    const program = config === undefined ? builtWorker() : developmentServer(config);
    // A process group of its own, so that one signal reaches all of it.
    const started = spawn(process.execPath, ["--no-warnings", ...program], {
      cwd: projectRoot,
      env: wranglerEnvironment(),
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    }) as ChildProcess & { stdout: Readable; stderr: Readable };
    let log = "";
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
    }
    return Object.assign(started, { log: () => log });
  }

  function builtWorker(): string[] {
    const settings: WorkerProcessSettings = { built, port, storage, variables };
    return [join(import.meta.dirname, "worker-process.ts"), JSON.stringify(settings)];
  }

  function developmentServer(toml: string): string[] {
    const fixed = ["--inspector-port=0", "--show-interactive-dev-session=false"];
    const ours = [`--config=${toml}`, `--port=${port}`, `--persist-to=${storage}`];
    return [
      wranglerProgram,
      "dev",
      ...fixed,
      ...ours,
      ...Object.entries(variables).map((pair) => `--var=${pair.join(":")}`),
    ];
  }

  async function up(): Promise<void> {
    const deadline = Date.now() + startLimit;
    while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
      if ((await health(url)) === 200) return;
      await delay(pollInterval);
    }
    const log = child.log();
    await dispose();
    throw new Error(`the server did not come up:\n${log}`);
  }

  async function kill(): Promise<void> {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, "exit");
      process.kill(-child.pid, "SIGKILL");
      await exit;
    }
    while (await isHeld(port)) await delay(pollInterval);
  }

  async function dispose(): Promise<void> {
    await kill();
    removeDirectory(storage);
  }

  await up();
  return {
    url,
    kill,
    async startAgain() {
      child = start();
      await up();
    },
    log: () => child.log(),
    dispose,
  };
}

/** Whether a process has the port, one that answers no more included. */
function isHeld(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "localhost");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** The status of `GET /health`; undefined when nobody answers. */
async function health(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
