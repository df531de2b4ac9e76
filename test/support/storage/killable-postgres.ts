/**
 * A PostgreSQL server that a test kills and starts again over the same data, on the same port. It commits as a real one does, except that
 * it does not wait for the disk: a killed process leaves to the operating system all that it has written.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startLocalPostgres, type LocalPostgres } from "../../../scripts/postgres/local-server.ts";
import { migratePostgres } from "../../../scripts/postgres/migrate.ts";
import { freePort } from "../server/free-port.ts";
import { removeDirectory } from "../server/remove-directory.ts";

export interface KillablePostgres {
  /** The URL of its migrated database. */
  readonly url: string;
  /** SIGKILL for the server's process and for those of its connections, which would otherwise end a moment later. */
  kill(): Promise<void>;
  /** Resolves when it accepts connections. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function startKillablePostgres(): Promise<KillablePostgres> {
  const above = mkdtempSync(join(tmpdir(), "twinedge-killable-"));
  // The server's own user, if the tests run as root, has to enter it.
  chmodSync(above, 0o755);
  const port = await freePort();
  const start = () => startLocalPostgres({ folder: join(above, "postgres"), settings: [`port=${port}`, "fsync=off"] });

  async function restarted(): Promise<LocalPostgres> {
    for (;;) {
      const started = await start();
      if (started.ok) return started.value;
      // Until then the memory of the killed server is in use.
      if (!started.error.includes("shared memory")) throw new Error(started.error);
    }
  }

  let server = await restarted();
  const url = new URL(server.url);
  url.port = String(port);
  const migrated = await migratePostgres(url.href);
  if (!migrated.ok) throw new Error(migrated.error);
  return {
    url: url.href,
    async kill() {
      const others = await connectedProcesses(url.href);
      for (const pid of [server.pid, ...others]) killIfAlive(pid);
    },
    async restart() {
      server = await restarted();
    },
    async close() {
      await server.stop();
      removeDirectory(above);
    },
  };
}

async function connectedProcesses(url: string): Promise<readonly number[]> {
  const client = new Client({ connectionString: url });
  // Its own process is among those that are killed.
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL");
  return rows.map(({ pid }) => pid);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
