/** A separate PostgreSQL server over a temporary folder. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalPostgres } from "../scripts/postgres/local-server.ts";
import { migratePostgres, postgresClient } from "../scripts/postgres/migrate.ts";
import { cpuSecondsOfFamily } from "./process-use.ts";

export interface PostgresServer {
  readonly version: number;
  /** The URL of a new database with the tables. */
  newDatabase(name: string): Promise<string>;
  /** Seconds of CPU time that the server has used; NaN if the system does not report it. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/**
 * Commits wait for the disk, as in production. Nothing runs in the background of a round: the log has room for the whole run, and
 * the filling of a database ends with a VACUUM.
 */
const SETTINGS = [
  "shared_buffers=1GB",
  "maintenance_work_mem=1GB",
  "max_wal_size=16GB",
  "checkpoint_timeout=1h",
  "autovacuum=off",
];

/** @throws Error with advice if the machine has no server. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const above = mkdtempSync(join(tmpdir(), "twinedge-bench-postgres-"));
  // The server's own user, if the bench runs as root, has to enter it.
  chmodSync(above, 0o755);
  const remove = (): void => rmSync(above, { recursive: true, force: true });
  const server = await startLocalPostgres({ folder: join(above, "postgres"), settings: SETTINGS });
  if (!server.ok) {
    remove();
    throw new Error(server.error);
  }
  const { url, version, pid, stop } = server.value;
  return {
    version,
    async newDatabase(name) {
      const client = postgresClient(url);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const own = new URL(url);
      own.pathname = `/${name}`;
      const migrated = await migratePostgres(own.href);
      if (!migrated.ok) throw new Error(migrated.error);
      return own.href;
    },
    cpuSeconds: () => cpuSecondsOfFamily(pid),
    async stop() {
      await stop();
      remove();
    },
  };
}
