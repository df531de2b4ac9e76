/**
 * A registry on PostgreSQL with many domains, filled in minutes: the registry's own code turns synthetic lines into rows, which are
 * inserted in bulk before the indexes exist. The triggers' tables are derived afterwards, as their migrations do.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgresRunner } from "../scripts/db/postgres-runner.ts";
import { postgresEngine } from "../shared/tables/postgres-engine.ts";
import type { SqlRunner } from "../shared/tables/table.ts";
import { projectRoot } from "../scripts/run-command.ts";
import { readLine } from "../workers/registry/bulk/import-lines.ts";
import { domainIdOf } from "../workers/registry/domain/domain-id.ts";
import { bulkDomainOf, type BulkDomain } from "../workers/registry/store/bulk-creation.ts";
import type { Bundles } from "./bundles.ts";
import { FEW_DOMAINS } from "./arguments.ts";
import { makeKey, type FilledRegistry } from "./filled-registry.ts";
import type { PostgresServer } from "./postgres-server.ts";
import { startRuntime } from "./runtime.ts";
import { syntheticLines } from "./synthetic-domains.ts";

/** Rows per statement. */
const ROWS = 2_000;
const IMPORTER = "did:web:bench.example";
/** The first domain's creation; each further one is a second younger. */
const BEGIN = Date.UTC(2024, 0, 1);

export interface PostgresBench {
  readonly server: PostgresServer;
  readonly bundles: Bundles;
  readonly makeFolder: () => string;
  readonly say: (line: string) => void;
}

/** In a separate database and workerd. Its CPU time is the sum of workerd's and the server's. */
export async function filledPostgres(
  { server, bundles, makeFolder, say }: PostgresBench,
  count: number,
): Promise<FilledRegistry> {
  const began = performance.now();
  const url = await server.newDatabase(`registry_${count}`);
  const ids = await fill(url, count);
  say(`  ${count.toLocaleString("en-US")} domains after ${Math.round((performance.now() - began) / 1000)} s`);
  const started = await startRuntime(bundles, makeFolder(), { postgres: url });
  const runtime = { ...started, cpuSeconds: () => started.cpuSeconds() + server.cpuSeconds() };
  return { runtime, count, headers: await makeKey(runtime), ids };
}

/** @returns ids spread over the whole table. */
async function fill(url: string, count: number): Promise<readonly string[]> {
  const opened = await openPostgresRunner(url);
  if (!opened.ok) throw new Error(opened.error);
  const runner = opened.value;
  try {
    // Set for the registry's own statements; here, whole tables are read.
    for (const name of ["seqscan", "hashjoin", "mergejoin"]) await runner.query({ sql: `SET enable_${name} = on` });
    const parts = await postgresEngine.parts(runner, true);
    for (const { remove } of parts) await runner.query({ sql: remove });
    const ids: string[] = [];
    let written = Promise.resolve();
    for await (const domains of bulkDomains(count)) {
      ids.push(...domains.filter(({ number }) => number % Math.ceil(count / FEW_DOMAINS) === 0).map(({ id }) => id));
      await written;
      // The server works on these rows while the next ones are made.
      written = insertAll(runner, domains);
    }
    await written;
    for (const sql of derived()) await runner.query({ sql });
    for (const { restore } of parts.toReversed()) await runner.query({ sql: restore });
    for (const statement of postgresEngine.setLastNumber("domains", BigInt(count))) await runner.query(statement);
    for (const sql of ["VACUUM ANALYZE", "CHECKPOINT"]) await runner.query({ sql });
    return ids;
  } finally {
    await runner.close();
  }
}

interface NumberedDomain extends BulkDomain {
  readonly number: number;
}

async function* bulkDomains(count: number): AsyncGenerator<readonly NumberedDomain[]> {
  let domains: NumberedDomain[] = [];
  let number = 0;
  for (const text of syntheticLines(count)) {
    number += 1;
    const read = await readLine(text, {
      id: domainIdOf(createHash("sha256").update(`domain ${number}`).digest().subarray(0, 16)),
      importer: IMPORTER,
      at: BEGIN + number * 1_000,
      relayerNode: undefined,
      reason: `Import bench, line ${number}`,
    });
    if (!read.ok) throw new Error(`line ${number}: ${read.error.message}`);
    domains.push({ number, ...bulkDomainOf(read.value.step) });
    if (domains.length < ROWS) continue;
    yield domains;
    domains = [];
  }
  yield domains;
}

async function insertAll(runner: SqlRunner, domains: readonly NumberedDomain[]): Promise<void> {
  const numbered = (name: string, { number }: NumberedDomain, row: string): string =>
    `{"${name}":${number},${row.slice(1)}`;
  await insertRows(
    runner,
    "domains",
    domains.map((domain) => numbered("number", domain, domain.domain)),
  );
  await insertRows(
    runner,
    "domain_history",
    domains.map(({ history }) => history),
  );
  await insertRows(
    runner,
    "domain_search",
    domains.map((domain) => numbered("rowid", domain, domain.search)),
  );
}

/** `rows` are objects in JSON. PostgreSQL parses them once, and ignores members that are no columns. */
async function insertRows(runner: SqlRunner, table: string, rows: readonly string[]): Promise<void> {
  const [row] = rows;
  if (row === undefined) return;
  const names = Object.keys(JSON.parse(row) as object).filter((name) => table !== "domain_search" || name !== "id");
  await runner.query({
    sql: `INSERT INTO ${table} (${names.join(", ")}) SELECT ${names.join(", ")} FROM json_populate_recordset(NULL::${table}, ?1::json)`,
    values: [`[${rows.join(",")}]`],
  });
}

function derived(): readonly string[] {
  return [
    `INSERT INTO domain_controllers (did, created_at, domain_id)
     SELECT did, created_at, id FROM domains CROSS JOIN json_array_elements_text(controllers::json) AS did`,
    "INSERT INTO changes (seq, domain_id, version) SELECT number, id, 1 FROM domains",
    firstInsertOf("0010_registry_counts.sql"),
  ];
}

/** The statement with which a migration fills its table from the rows that exist. */
function firstInsertOf(migration: string): string {
  const text = readFileSync(join(projectRoot, "migrations/postgres", migration), "utf8");
  const [statement] = /^INSERT INTO [^;]+/m.exec(text) ?? [];
  if (statement === undefined) throw new Error(`${migration} has no INSERT`);
  return statement;
}
