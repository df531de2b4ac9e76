/** The servers whose sockets are compared: starts the stock one, and lists the addresses of rooms on each. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cpuSecondsOf, residentBytesOf } from "./process-use.ts";
import type { Runtime } from "./runtime.ts";
import type { SocketAddress } from "./socket-clients.ts";

/** `ours`: an object with the project's server; `bare`: one without a protocol; `stock`: socket.io in Node. */
export type SocketSide = "ours" | "bare" | "stock";

export const STOCK = "socket.io in Node";

export interface StockServer extends Pick<Runtime, "cpuSeconds" | "residentBytes"> {
  readonly url: string;
  readonly kill: () => Promise<void>;
}

/** Starts socket-process.ts on a free loopback port. */
export async function startStockServer(): Promise<StockServer> {
  const program = join(import.meta.dirname, "socket-process.ts");
  const child = spawn(process.execPath, ["--no-warnings", program], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const port = await Promise.race([once(child, "message"), once(child, "exit").then(() => undefined)]);
  const { pid } = child;
  if (port === undefined || pid === undefined) throw new Error("the stock socket.io server did not start");
  return {
    url: `http://127.0.0.1:${String(port[0])}`,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    async kill() {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    },
  };
}

const ENGINE = "EIO=4&transport=websocket";
/** `fast`: an object with the project's server and a faster heartbeat. */
const PATHS = {
  ours: `/served-room?${ENGINE}&`,
  fast: `/fast-room?${ENGINE}&`,
  bare: "/bare-room?",
  stock: `/socket.io/?${ENGINE}&`,
} as const;

export function roomAt(side: SocketSide | "fast", base: string, room: string): SocketAddress {
  const url = `${base.replace("http", "ws")}${PATHS[side]}room=${room}`;
  return { url, auth: side === "bare" ? undefined : {} };
}

/** A socket of the chat: it is connected when the session has sent `connected`. */
export function chatSocketAt({ oracle }: Pick<Runtime, "oracle">, sessionId: string, token: string): SocketAddress {
  const url = `${oracle.replace("http", "ws")}/socket.io/?${ENGINE}&sessionId=${sessionId}`;
  return { url, auth: { invocation: token }, welcome: '42["connected"' };
}
