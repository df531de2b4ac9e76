/**
 * Client of the process that holds this test worker's servers (server-process.ts): started with the first server, shared by all,
 * hidden from other code.
 */
import { fork, type ChildProcess } from "node:child_process";
import { join, resolve } from "node:path";
import { wranglerEnvironment } from "../../../scripts/wrangler.ts";
import type { ServerMessage, ServerRequest, ServerSettings } from "./server-process.ts";

const projectRoot = resolve(import.meta.dirname, "../../..");

export interface HeldServer {
  readonly number: number;
  /** Output since it was last started. */
  log: string;
}

interface Asked {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

let holder: ChildProcess | undefined;
const servers: HeldServer[] = [];
/** By the server's number: each server has one pending request at a time. */
const asked = new Map<number, Asked>();

export function newServer(): HeldServer {
  const server = { number: servers.length, log: "" };
  servers.push(server);
  return server;
}

/** Starts the server, or kills it if there are no settings. A server that is not running counts as killed. */
export async function askForServer(server: HeldServer, start?: ServerSettings): Promise<void> {
  if (holder === undefined && start === undefined) return;
  holder ??= startHolder();
  const { channel } = holder;
  if (start !== undefined) server.log = "";
  const request: ServerRequest = { server: server.number, ...(start !== undefined && { start }) };
  // It keeps this process alive only while a request is pending.
  channel?.ref();
  try {
    await new Promise<void>((done, failed) => {
      asked.set(server.number, { done, failed });
      holder?.send(request);
    });
  } finally {
    asked.delete(server.number);
    if (asked.size === 0) channel?.unref();
  }
}

function startHolder(): ChildProcess {
  const child = fork(join(import.meta.dirname, "server-process.ts"), [], {
    cwd: projectRoot,
    env: wranglerEnvironment(),
    execArgv: ["--no-warnings"],
  });
  child.unref();
  child.on("message", ({ server: number, line, failed }: ServerMessage) => {
    const server = servers[number];
    if (line !== undefined && server !== undefined) server.log += `${line}\n`;
    else if (failed === undefined) asked.get(number)?.done();
    else asked.get(number)?.failed(new Error(failed));
  });
  child.on("exit", () => {
    holder = undefined;
    for (const { failed } of asked.values()) failed(new Error("the process that holds the servers has ended"));
  });
  return child;
}
