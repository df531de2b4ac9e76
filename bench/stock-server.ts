/** Starts the stock socket.io server (socket-process.ts) on a free loopback port. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cpuSecondsOf, residentBytesOf } from "./process-use.ts";
import type { Runtime } from "./runtime.ts";

export interface StockServer extends Pick<Runtime, "cpuSeconds" | "residentBytes"> {
  readonly url: string;
  readonly kill: () => Promise<void>;
}

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
