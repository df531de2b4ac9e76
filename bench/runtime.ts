/**
 * A separate workerd, on free loopback ports over storage on disk: started, killed as a power cut would, and restarted over its
 * storage. runtime-process.ts is the code that runs in it.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { projectRoot } from "../scripts/run-command.ts";
import { wranglerEnvironment } from "../scripts/wrangler.ts";
import type { Bundles } from "./bundles.ts";
import { cpuSecondsOf, residentBytesOf } from "./process-use.ts";
import { workers, type Ports, type RuntimeSettings } from "./runtime-settings.ts";

export interface Runtime {
  /** The Worker as it is deployed. */
  readonly oracle: string;
  /** The bare Worker. */
  readonly bare: string;
  /** An author's oracle with middleware. */
  readonly authored: string;
  /** Oracles with every plugin but credits, with credits too, and with none. */
  readonly withPlugins: string;
  readonly withCredits: string;
  readonly withoutPlugins: string;
  /** The operator's token, for this runtime only. */
  readonly adminToken: string;
  /** Seconds of CPU time that workerd has used; NaN if the system does not report it. */
  readonly cpuSeconds: () => number;
  /** Bytes of memory that workerd uses now; NaN if the system does not report it. */
  readonly residentBytes: () => number;
  /** Sends SIGKILL to the runtime and its holder. */
  readonly kill: () => Promise<void>;
  /** After `kill`: starts again on these ports and over this storage. Resolves when it accepts requests. */
  readonly startAgain: () => Promise<void>;
}

const program = join(import.meta.dirname, "runtime-process.ts");

/**
 * `folder` must be empty: the database is created in it. `variables` of the Worker, in addition to those that lift its limits;
 * `plugins`: variables that turn plugins on; `postgres`: the migrated database of the oracle and of the bare Worker instead of D1.
 */
export async function startRuntime(
  bundles: Bundles,
  folder: string,
  { variables = {}, plugins = {}, postgres }: Partial<Pick<RuntimeSettings, "variables" | "plugins" | "postgres">> = {},
): Promise<Runtime> {
  const ports = await freePorts();
  const adminToken = randomBytes(32).toString("hex");
  const settings = { bundles, ports, stateFolder: folder, adminToken, variables, plugins, postgres };
  let child = await start({ ...settings, migrations: join(projectRoot, "migrations") });
  return {
    ...addressesOf(ports),
    adminToken: settings.adminToken,
    cpuSeconds: () => cpuSecondsOf(workerdOf(child.pid)),
    residentBytes: () => residentBytesOf(workerdOf(child.pid)),
    async kill() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      // The whole group: the runtime is a child of this child.
      process.kill(-child.pid, "SIGKILL");
      await exit;
    },
    async startAgain() {
      child = await start({ ...settings, migrations: undefined });
    },
  };
}

async function start(settings: RuntimeSettings): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--no-warnings", program, JSON.stringify(settings)], {
    cwd: projectRoot,
    detached: true,
    env: wranglerEnvironment(),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let talk = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    talk += text;
  });
  const outcome = await Promise.race([once(child, "message"), once(child, "exit").then(() => undefined)]);
  if (outcome === undefined) throw new Error(`workerd did not start:\n${talk}`);
  return child;
}

async function freePorts(): Promise<Ports> {
  const ports = await Promise.all(workers.map(async (name) => [name, await freePort()]));
  return Object.fromEntries(ports) as Ports;
}

function addressesOf(ports: Ports): Readonly<Record<keyof Ports, string>> {
  return Object.fromEntries(workers.map((name) => [name, `http://127.0.0.1:${ports[name]}`])) as Record<
    keyof Ports,
    string
  >;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** The only process that the holder has started (Linux only). */
function workerdOf(holder = 0): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${holder}/task/${holder}/children`, "utf8"), 10);
  } catch {
    return NaN;
  }
}
