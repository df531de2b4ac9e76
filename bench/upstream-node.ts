/** Starts the query gateway's node (upstream-process.ts) on a free loopback port. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface UpstreamNode {
  readonly url: string;
  readonly kill: () => void;
}

export async function startUpstreamNode(): Promise<UpstreamNode> {
  const program = join(import.meta.dirname, "upstream-process.ts");
  const child = spawn(process.execPath, ["--no-warnings", program], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const port = await Promise.race([once(child, "message"), once(child, "exit").then(() => undefined)]);
  if (port === undefined) throw new Error("the node for the query gateway did not start");
  return { url: `http://127.0.0.1:${String(port[0])}`, kill: () => void child.kill("SIGKILL") };
}
