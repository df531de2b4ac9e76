/**
 * `wrangler dev` as a child process: how it is started, when it is up, how it is stopped. For its output, see worker-output.ts and
 * announcement.ts.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { projectRoot } from "../run-command.ts";
import { wranglerEnvironment, wranglerProgram } from "../wrangler.ts";
import { BUILD_FAILURE, plainLine, PORT_HOLDER_DIED, RUNTIME_CRASH, workerEvent, workerLine } from "./worker-output.ts";

export interface ServerOptions {
  readonly port: number;
  readonly stateFolder: string;
  /** A wrangler.toml other than the project's own. */
  readonly config?: string;
  /** Variables of the Worker, overriding those of `.dev.vars` and wrangler.toml. */
  readonly variables: Readonly<Record<string, string>>;
  /** For wrangler's own process, such as connection strings, which no command line may show. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Receives the Worker's log, line by line. */
  readonly print: (line: string) => void;
  /** Milliseconds without an answer after which a server whose runtime died counts as lost; a minute by default. */
  readonly crashPatience?: number;
}

export interface Server {
  /** The status of `GET /health` once it answers; undefined if the server ended, or took longer than `START_TIMEOUT`. */
  readonly up: () => Promise<number | undefined>;
  /** Wrangler's output before the server was up: the reason, if it never was. */
  readonly startTalk: () => string;
  /** The Worker's log before the server was up, such as configuration errors. */
  readonly startLog: () => readonly string[];
  readonly ended: Promise<void>;
  /** Whether it was stopped because one of its runtimes died that wrangler cannot replace. */
  readonly wasLost: () => boolean;
  readonly stop: () => Promise<void>;
}

/**
 * Milliseconds. A cold bundle takes seconds, and more than a minute when tests keep all processors busy. It only ends a start that
 * hangs.
 */
const START_TIMEOUT = 180_000;
const POLL_INTERVAL = 100;
const POLL_TIMEOUT = 2_000;
/** How long wrangler may take to end its runtime before it is killed; milliseconds. */
const STOP_TIMEOUT = 5_000;
/**
 * Wrangler restarts the Worker's runtime when it dies, which is slow on a busy machine. After this long without any answer, the
 * server counts as lost. Milliseconds.
 */
const CRASH_PATIENCE = 60_000;

/** Milliseconds between two checks of a server whose runtime died. */
const CRASH_LOOK_INTERVAL = 1_000;

export function startServer({
  port,
  stateFolder,
  config = "wrangler.toml",
  variables,
  environment = {},
  print,
  crashPatience = CRASH_PATIENCE,
}: ServerOptions): Server {
  const child = spawnWrangler({ port, stateFolder, config, variables, environment });
  const startTalk: string[] = [];
  let isUp = false;
  const ended = new Promise<void>((end) => child.once("close", () => end()));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;

  let isStopping = false;
  const stop = async (): Promise<void> => {
    isStopping = true;
    if (!hasEnded()) child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT);
    await ended;
    clearTimeout(late);
  };

  let isWatching = false;
  let isLost = false;
  const lookAfterCrash = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    const deadline = Date.now() + crashPatience;
    let isBack = false;
    while (!isBack && !hasEnded() && Date.now() < deadline) {
      await delay(CRASH_LOOK_INTERVAL);
      isBack = (await healthStatus(port)) !== undefined;
    }
    isWatching = false;
    if (!isBack) await restart();
  };
  const restart = async (): Promise<void> => {
    if (isStopping || hasEnded()) return;
    isLost = true;
    print("The Workers runtime stopped and did not restart, so it is started again. No stored data is lost.");
    await stop();
  };
  child.on("message", (message) => {
    if (message === PORT_HOLDER_DIED) void restart();
  });

  const take = (coloured: string): void => {
    const line = plainLine(coloured);
    if (!isUp) {
      startTalk.push(line);
    } else {
      const shown = workerLine(line);
      if (shown !== undefined) print(shown);
      if (RUNTIME_CRASH.test(line)) void lookAfterCrash();
    }
  };
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", take);

  const up = async (): Promise<number | undefined> => {
    const deadline = Date.now() + START_TIMEOUT;
    while (!hasEnded() && !startTalk.some(isHopeless) && Date.now() < deadline) {
      const status = await healthStatus(port);
      if (status !== undefined) {
        isUp = true;
        return status;
      }
      await delay(POLL_INTERVAL);
    }
    return undefined;
  };

  return {
    up,
    startTalk: () => startTalk.join("\n"),
    startLog: () => startTalk.flatMap(workerEvent),
    ended,
    wasLost: () => isLost,
    stop,
  };
}

/** Wrangler would now wait for the source to change. */
function isHopeless(line: string): boolean {
  return BUILD_FAILURE.test(line);
}

function spawnWrangler({
  port,
  stateFolder,
  config,
  variables,
  environment,
}: Required<Pick<ServerOptions, "port" | "stateFolder" | "config" | "variables" | "environment">>): ChildProcess & {
  stdout: Readable;
  stderr: Readable;
} {
  const inWrangler = pathToFileURL(join(import.meta.dirname, "in-wrangler.ts")).href;
  const settings = [
    `--config=${config}`,
    `--port=${port}`,
    "--inspector-port=0",
    `--persist-to=${stateFolder}`,
    "--show-interactive-dev-session=false",
    "--log-level=log",
    ...Object.entries(variables).map(([name, value]) => `--var=${name}:${value}`),
  ];
  return spawn(process.execPath, ["--no-warnings", "--import", inWrangler, wranglerProgram, "dev", ...settings], {
    cwd: projectRoot,
    env: { ...wranglerEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  }) as ChildProcess & { stdout: Readable; stderr: Readable };
}

async function healthStatus(port: number): Promise<number | undefined> {
  try {
    const response = await fetch(`http://localhost:${port}/health`, { signal: AbortSignal.timeout(POLL_TIMEOUT) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
