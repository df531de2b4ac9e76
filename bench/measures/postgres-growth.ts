/**
 * The registry on PostgreSQL with many domains compared with one with few, each in a separate workerd and database of one server. The
 * few are imported; the many are copies of them, because an import of a million takes an hour.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startLocalPostgres } from "../../scripts/postgres/local-server.ts";
import { migratePostgres } from "../../scripts/postgres/migrate.ts";
import { effortOf, effortRows } from "../effort.ts";
import { filledRegistry, requestKinds, type FilledRegistry } from "../filled-registry.ts";
import { inTurns } from "../rounds.ts";
import type { Row } from "../rows.ts";
import { startRuntime } from "../runtime.ts";
import { CONNECTIONS, type Bench, type Measure } from "./measure.ts";

const FEW = 10_000;
/** The copies are not worth waiting for the disk. */
const SETTINGS = ["shared_buffers=512MB", "synchronous_commit=off", "max_wal_size=4GB"];

type Kind = keyof ReturnType<typeof requestKinds>;

const kinds: readonly { readonly kind: Kind; readonly what: string }[] = [
  { kind: "get", what: "get by id" },
  { kind: "list", what: "list of 20, two filters" },
  { kind: "word", what: "q, a word of every eighth" },
  { kind: "words", what: "q, a word and a beginning" },
  { kind: "graphql", what: "GraphQL, an entity by id" },
];

export const postgresGrowth: Measure = {
  name: "postgres-growth",
  about: `the registry on PostgreSQL with many domains (--domains), beside one with ${FEW}`,
  async take(bench) {
    const above = mkdtempSync(join(tmpdir(), "twinedge-bench-postgres-"));
    // The server's own user, if the bench runs as root, has to enter it.
    chmodSync(above, 0o755);
    const server = await startLocalPostgres({ folder: join(above, "postgres"), settings: SETTINGS });
    try {
      if (server.ok) return await takeOn(server.value.url, bench);
      bench.say(`  left out: ${server.error}`);
      return [];
    } finally {
      if (server.ok) await server.value.stop();
      rmSync(above, { recursive: true });
    }
  },
};

async function takeOn(server: string, bench: Bench): Promise<readonly Row[]> {
  const { bundles, options, makeFolder, say } = bench;
  const urls = { few: await newDatabase(server, "few"), many: await newDatabase(server, "many") };
  const few = await startRuntime(bundles, makeFolder(), { postgres: urls.few });
  const many = await startRuntime(bundles, makeFolder(), { postgres: urls.many });
  try {
    const registries = { few: await filledRegistry(few, FEW, say), many: await filledRegistry(many, FEW, say) };
    const ids = await multiply(urls.many, Math.max(1, Math.round(options.domains / FEW)), say);
    const rows: Row[] = [];
    for (const { kind, what } of kinds)
      rows.push(...(await compared(bench, what, kind, { few: registries.few, many: { ...registries.many, ids } })));
    return rows;
  } finally {
    await few.kill();
    await many.kill();
  }
}

async function newDatabase(server: string, name: string): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const migrated = await migratePostgres(url.href);
  if (!migrated.ok) throw new Error(migrated.error);
  return url.href;
}

/** What differs between a domain and its copy number $1; every other column is equal. */
const TABLES: readonly { readonly table: string; readonly changed: Readonly<Record<string, string>> }[] = [
  { table: "domain_history", changed: { domain_id: copyOf("domain_id") } },
  { table: "domain_controllers", changed: { domain_id: copyOf("domain_id") } },
  { table: "domain_search", changed: { rowid: `rowid + $1 * ${FEW}` } },
  { table: "changes", changed: { seq: `seq + $1 * ${FEW}`, domain_id: copyOf("domain_id") } },
  { table: "domains", changed: { id: copyOf("id"), number: `number + $1 * ${FEW}`, created_at: "created_at + $1" } },
];

function copyOf(column: string): string {
  return `'did:ixo:entity:' || md5(${column} || $1::text)`;
}

/** Of each table, the rows of the imported domains. */
const IMPORTED: Readonly<Record<string, string>> = {
  domain_search: `rowid <= ${FEW}`,
  changes: `seq <= ${FEW}`,
  domains: `number <= ${FEW}`,
};

/** @returns ids spread over the whole table. */
async function multiply(url: string, times: number, say: (line: string) => void): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const began = performance.now();
    // No triggers: one of them would count a million domains in one row.
    await client.query("SET session_replication_role = replica");
    await client.query("CREATE TEMP TABLE imported AS SELECT id FROM domains");
    for (let copy = 1; copy < times; copy += 1) {
      for (const { table, changed } of TABLES) {
        const { rows } = await client.query<{ name: string }>(
          `SELECT column_name AS name FROM information_schema.columns
           WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER'`,
          [table],
        );
        const names = rows.map(({ name }) => name);
        const where = IMPORTED[table] ?? "domain_id IN (SELECT id FROM imported)";
        await client.query(
          `INSERT INTO ${table} (${names.join(", ")})
           SELECT ${names.map((name) => changed[name] ?? name).join(", ")} FROM ${table} WHERE ${where}`,
          [copy],
        );
      }
      if (copy % 10 === 0) say(`  copy ${copy} of ${times} after ${Math.round((performance.now() - began) / 1000)} s`);
    }
    await client.query("UPDATE domain_counts SET domains = domains * $1", [times]);
    await client.query("VACUUM ANALYZE");
    const { rows } = await client.query<{ id: string }>("SELECT id FROM domains WHERE number % $1 = 0", [times * 10]);
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

async function compared(
  { options: { rounds, seconds } }: Bench,
  what: string,
  kind: Kind,
  registries: Readonly<Record<"many" | "few", FilledRegistry>>,
): Promise<readonly Row[]> {
  const rate = (registry: FilledRegistry) => {
    const { next } = requestKinds(registry)[kind];
    const load = { base: registry.runtime.oracle, connections: CONNECTIONS, seconds, next };
    return () => effortOf(registry.runtime, load);
  };
  const { many, few } = await inTurns(rounds, { many: rate(registries.many), few: rate(registries.few) });
  return effortRows({ what, samples: many, beside: { name: `${FEW} domains`, samples: few } });
}
