/**
 * Databases of tests on PostgreSQL. Each is a copy of a migrated template, which its first statement creates, so that a test that uses
 * none costs nothing. The end of a file drops them (test/support/storage/postgres-files.ts).
 */
import { Client } from "pg";
import { inject } from "vitest";
import { createConnectionScope, type ConnectionScope } from "../../../platform/database/connection-scope.ts";
import type { Database } from "../../../platform/database/database.ts";
import { lazyDatabase, type Driver } from "../../../platform/database/lazy-database.ts";
import { createPostgres } from "../../../platform/database/postgres/postgres.ts";

interface Opened {
  readonly name: string;
  readonly scope: ConnectionScope;
}

const opened: Opened[] = [];
let numbered = 0;

/** A new database; `ran` is called with the text of each statement that runs. */
export function freshPostgres(ran?: (text: string) => void): Database {
  // One driver: concurrent first statements each ask for it.
  const driver = freshDriver(ran);
  return lazyDatabase(() => Promise.resolve(driver));
}

export function freshDriver(ran: (text: string) => void = () => undefined): Driver {
  let driver: Promise<Driver> | undefined;
  return {
    async run(statements) {
      // Before the first pause: tests count the statements of calls that they do not await.
      for (const { sql } of statements) ran(sql);
      driver ??= createDriver();
      return (await driver).run(statements);
    },
  };
}

async function createDriver(): Promise<Driver> {
  const scope = createConnectionScope();
  const url = await createDatabase(scope);
  return createPostgres({ connectionString: () => url, scope });
}

async function createDatabase(scope: ConnectionScope): Promise<string> {
  numbered += 1;
  const name = `test_${process.pid}_${numbered}`;
  opened.push({ name, scope });
  await onServer((client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${inject("postgresTemplate")}`));
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${name}`;
  return url.href;
}

/** Ends the connections that no statement uses; the next statement opens another one. */
export async function closeIdleConnections(): Promise<void> {
  await Promise.all(opened.map(({ scope }) => scope.closeFree()));
}

/** Closes and drops the databases that are open. */
export async function dropFreshDatabases(): Promise<void> {
  await closeIdleConnections();
  const done = opened.splice(0);
  if (done.length === 0) return;
  await onServer(async (client) => {
    for (const { name } of done) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });
}

async function onServer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
