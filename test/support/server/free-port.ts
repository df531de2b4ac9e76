/**
 * A port for a server that is started by number, outside the system's ephemeral range: any connection of this machine could
 * otherwise take the port before the server listens, or while a killed server is down.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the first ephemeral port of Linux (32768) and others (49152). */
const FIRST = 20_000;
/** Concurrent workers of Vitest have separate ports. */
const WORKERS = 4;
const PORTS_OF_WORKER = 3_000;

const worker = Number(process.env["VITEST_POOL_ID"] ?? "0") % WORKERS;
// Random, so that two runs on one machine rarely try the same ports.
let last = Math.floor(Math.random() * PORTS_OF_WORKER);

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_OF_WORKER; tried += 1) {
    last = (last + 1) % PORTS_OF_WORKER;
    const port = FIRST + worker * PORTS_OF_WORKER + last;
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
