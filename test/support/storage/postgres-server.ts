/**
 * PostgreSQL servers of tests: the programs of this machine over a temporary folder, without waiting for the disk. Without a server,
 * these tests are skipped with a message, unless `REQUIRE_POSTGRES` is set, as in `.ci/run`: then a missing server is an error.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startLocalPostgres } from "../../../scripts/postgres/local-server.ts";
import { findServerPrograms } from "../../../scripts/postgres/server-programs.ts";
import { removeDirectory } from "../server/remove-directory.ts";

const programs = findServerPrograms();
export const hasPostgres = programs.ok;

if (!programs.ok) {
  if (process.env["REQUIRE_POSTGRES"] !== undefined) throw new Error(programs.error);
  process.stderr.write(`skipped: tests of PostgreSQL: ${programs.error}\n`);
}

/** Faster, and safe: no test cuts the machine's power. Each of a hundred concurrent requests has its own connection. */
const SETTINGS = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300"];

/** A copy of a database has no settings of its role; these are the ones of migrations/postgres/0000_sqlite_functions.sql. */
const PLANNER = ["enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off", "jit=off"];

export interface TestPostgres {
  /** The id of the server's process. */
  readonly pid: number;
  /** The URL of the server's own database. */
  readonly url: string;
  /** The URL of a new, empty database. */
  newDatabase(name?: string): Promise<string>;
  close(): Promise<void>;
}

export async function startTestPostgres(): Promise<TestPostgres> {
  const above = mkdtempSync(join(tmpdir(), "twinedge-postgres-"));
  // The server's own user, if the tests run as root, has to enter it.
  chmodSync(above, 0o755);
  const server = await startLocalPostgres({ folder: join(above, "postgres"), settings: [...SETTINGS, ...PLANNER] });
  if (!server.ok) throw new Error(server.error);
  const { url, pid, stop } = server.value;
  let databases = 0;
  return {
    pid,
    url,
    async newDatabase(name = `test_${(databases += 1)}`) {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      const own = new URL(url);
      own.pathname = `/${name}`;
      return own.href;
    },
    async close() {
      await stop();
      removeDirectory(above);
    },
  };
}
