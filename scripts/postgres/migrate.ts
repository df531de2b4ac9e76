/**
 * Applies the files of migrations/postgres in the order of their names, each once and in one transaction with its note in the table
 * `applied_migrations`. The numbers and names are those of the files for D1, which wrangler applies.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type ClientBase } from "pg";
import { failure, success, type Result } from "../../platform/result.ts";
import { projectRoot } from "../run-command.ts";
import { placeOf } from "./connection-url.ts";

const postgresMigrations = join(projectRoot, "migrations/postgres");

/** Any number that no other program of this project takes: two starts migrate one after the other. */
const MIGRATION_LOCK = 7_305_001;
/** Milliseconds until a host that does not answer counts as unreachable. */
const CONNECT_TIMEOUT = 10_000;

export function postgresClient(url: string): Client {
  return new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT, application_name: "twinedge" });
}

/** The names of the files that were applied now; or a sentence without the password of the URL. */
export async function migratePostgres(
  url: string,
  folder = postgresMigrations,
): Promise<Result<readonly string[], string>> {
  const client = postgresClient(url);
  try {
    await client.connect();
  } catch (error) {
    return failure(`no connection to PostgreSQL at ${placeOf(url)}: ${(error as Error).message}`);
  }
  try {
    return await applyAll(client, folder);
  } finally {
    await client.end();
  }
}

async function applyAll(client: ClientBase, folder: string): Promise<Result<readonly string[], string>> {
  await client.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
  await client.query(`CREATE TABLE IF NOT EXISTS applied_migrations (
    name TEXT PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
  )`);
  const known = await client.query<{ name: string }>("SELECT name FROM applied_migrations");
  const applied = new Set(known.rows.map(({ name }) => name));
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const waiting = files.filter((name) => !applied.has(name)).toSorted();
  for (const name of waiting) {
    const fault = await applyOne(client, name, readFileSync(join(folder, name), "utf8"));
    if (fault !== undefined) return failure(`migrations/postgres/${name}: ${fault}`);
  }
  await setPlanner(client);
  return success(waiting);
}

/** Settings of the role in this database, which a dump does not contain (migrations/postgres/0000_sqlite_functions.sql has the reason). */
const PLANNER_SETTINGS = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"];

async function setPlanner(client: ClientBase): Promise<void> {
  const name = await client.query<{ name: string }>("SELECT quote_ident(current_database()) AS name");
  for (const setting of PLANNER_SETTINGS)
    await client.query(`ALTER ROLE CURRENT_USER IN DATABASE ${name.rows[0]?.name} SET ${setting} = off`);
}

async function applyOne(client: ClientBase, name: string, sql: string): Promise<string | undefined> {
  await client.query("BEGIN");
  try {
    await client.query(sql);
    await client.query("INSERT INTO applied_migrations (name) VALUES ($1)", [name]);
    await client.query("COMMIT");
    return undefined;
  } catch (error) {
    await client.query("ROLLBACK");
    return (error as Error).message;
  }
}
