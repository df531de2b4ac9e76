/**
 * The built Worker on a separate port, over separate storage, for end-to-end tests: killed as a power cut would, and restarted over
 * its storage. The runtime runs the build of built-worker.ts; `npm start` has separate tests.
 */
import { cpSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { BUILT, buildOracle } from "./built-worker.ts";
import { freePort } from "./free-port.ts";
import { removeDirectory } from "./remove-directory.ts";
import { askForServer, newServer } from "./server-process-client.ts";

/** Milliseconds: the runtime on a very busy machine; less than the time limit of a set-up. */
const startLimit = 240_000;
/** Milliseconds between two polls of `/health`. */
const pollInterval = 100;

export interface RunningServer {
  readonly url: string;
  /** The folder of its databases and objects, as the state folder of `npm start`. */
  readonly storage: string;
  /** Sends SIGKILL to the runtime; resolves when its port is closed. */
  kill(): Promise<void>;
  /** Starts it again on its port, over its storage. */
  startAgain(): Promise<void>;
  /** Its output since it was last started. */
  log(): string;
  /** Kills it, if it runs, and clears its storage. */
  dispose(): Promise<void>;
}

/**
 * @param variables of the Worker, overriding those of `.dev.vars`.
 * @param config a wrangler.toml of another Worker, which then replaces ours, without `.dev.vars`.
 */
export async function startRunningServer(
  variables: Readonly<Record<string, string>> = {},
  config?: string,
): Promise<RunningServer> {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-server-"));
  // The tour is not a test, and has built the Worker itself.
  const built = config === undefined ? (process.env[BUILT] ?? inject("builtWorker")) : await buildOracle(config);
  if (existsSync(join(built, "state"))) cpSync(join(built, "state"), storage, { recursive: true });
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const server = newServer();
  const settings = { built, port, storage, variables, hasDevVars: config === undefined };

  async function start(): Promise<void> {
    await askForServer(server, settings);
    const deadline = Date.now() + startLimit;
    while ((await health(url)) !== 200) {
      if (Date.now() > deadline) throw new Error("it answers GET /health with a status other than 200");
      await delay(pollInterval);
    }
  }

  async function up(): Promise<void> {
    try {
      await start();
    } catch (cause) {
      await dispose();
      throw new Error(`the server did not come up:\n${server.log}`, { cause });
    }
  }

  const kill = (): Promise<void> => askForServer(server);

  async function dispose(): Promise<void> {
    await kill();
    removeDirectory(storage);
    if (config !== undefined) removeDirectory(built);
  }

  await up();
  return { url, storage, kill, startAgain: up, log: () => server.log, dispose };
}

/** The status of `GET /health`; undefined when there is no answer. */
async function health(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
