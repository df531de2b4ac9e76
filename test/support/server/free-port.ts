/**
 * A port for a server that is started by its number. It is none of those that the system gives out by itself: between looking and
 * listening, and while a killed server is away, any connection of this machine could get one of them.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the first port that Linux (32768) and others (49152) give out. */
const FIRST = 20_000;
/** Workers of Vitest that run at once have ports of their own. */
const WORKERS = 4;
const PORTS_OF_WORKER = 3_000;

const worker = Number(process.env["VITEST_POOL_ID"] ?? "0") % WORKERS;
// Elsewhere, so that two runs on one machine seldom look at the same.
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
