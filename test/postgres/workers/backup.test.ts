/** A backup of D1 restored into PostgreSQL, and the names of objects that list themselves there. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { keyOf, type Row, type Table } from "../../../shared/tables/table.ts";
import { parentsFirst, readRows, tablesOf } from "../../../workers/staff/backup/database-tables.ts";
import { beginRestore, endRestore, isRestoring, restoreRows } from "../../../workers/staff/backup/restore-state.ts";

const BACKUP = "20260101T000000Z-00000001";

async function partsOf(): Promise<readonly unknown[]> {
  const { results } = await databaseOf(env)
    .prepare(
      `SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' UNION SELECT conname FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace UNION SELECT tgname FROM pg_trigger WHERE tgenabled = 'O' AND NOT tgisinternal
       ORDER BY 1`,
    )
    .all();
  return results;
}

test("rows of D1 arrive in PostgreSQL, with indexes and triggers afterwards [ALL-94, ALL-95]", async () => {
  const d1 = tablesOf({ DATABASE: env.COMPARED });
  const postgres = tablesOf(env);
  await env.COMPARED.batch([
    env.COMPARED.prepare(
      "INSERT INTO audit_rows (seq, act, phase, at, actor, network, operation, request_id) VALUES (1, 'a', 'done', 9007199254740991, 'x', 'n', 'o', 'r')",
    ),
    env.COMPARED.prepare(
      "INSERT INTO claims (id, payer, run_id, amount, status, created_at, reason) VALUES ('a', 'did:web:a', 'r', 5, 'open', 't', 'a ' || char(0) || ' \"é🌍')",
    ),
    env.COMPARED.prepare("INSERT INTO domain_search (rowid, name, text) VALUES (7, 'name', 'some words')"),
  ]);
  const tables = (await d1.engine.tables(d1.runner)).toSorted(parentsFirst);
  const before = await partsOf();
  expect(await beginRestore(postgres, BACKUP, tables)).toMatchObject({ ok: true });
  expect(await isRestoring(databaseOf(env))).toBe(true);
  expect((await partsOf()).length).toBeLessThan(before.length);
  for (const table of tables) {
    const { rows } = await readRows(d1, table, undefined);
    if (rows.length === 0) continue;
    expect(await restoreRows(postgres, await sameTable(table), { from: 0, rows })).toEqual({
      ok: true,
      value: rows.length,
    });
    expect(await restoreRows(postgres, await sameTable(table), { from: 0, rows })).toEqual({
      ok: true,
      value: rows.length,
    });
  }
  expect(await endRestore(postgres, { changes: "12" })).toMatchObject({ ok: true });
  expect(await isRestoring(databaseOf(env))).toBe(false);
  expect(await partsOf()).toEqual(before);
  for (const table of tables) {
    const { rows } = await readRows(d1, table, undefined);
    const restored = await readRows(postgres, await sameTable(table), undefined);
    expect(restored.rows, table.name).toEqual(rows);
  }
  expect(await beginRestore(postgres, BACKUP, tables)).toMatchObject({ ok: false });
});

async function sameTable({ name, columns }: Table): Promise<Table> {
  const { engine, runner } = tablesOf(env);
  const own = (await engine.tables(runner)).find((table) => table.name === name);
  expect(own?.columns).toEqual(columns);
  if (own === undefined) throw new Error(`no table ${name}`);
  return own;
}

test("a long table is read in pages behind a key [ALL-91]", async () => {
  const database = databaseOf(env);
  await database
    .prepare("INSERT INTO stored_objects (class, name) SELECT 'Outbox', 'did:web:' || value || ?1 FROM json_each(?2)")
    .bind("x".repeat(1_000), JSON.stringify(Array.from({ length: 3_000 }, (_, index) => 10_000 + index)))
    .run();
  const tables = tablesOf(env);
  const table = (await tables.engine.tables(tables.runner)).find(({ name }) => name === "stored_objects");
  if (table === undefined) throw new Error("no table");
  const rows: Row[] = [];
  let pages = 0;
  for (let after: Row | undefined; ; pages += 1) {
    const next = await readRows(tables, table, after);
    rows.push(...next.rows);
    const last = next.rows.at(-1);
    if (next.isEnd || last === undefined) break;
    after = keyOf(table, last);
  }
  expect(pages).toBeGreaterThan(0);
  expect(new Set(rows.map(([, name]) => name)).size).toBe(3_000);
});

test("a user's object lists itself in PostgreSQL [ALL-92]", async () => {
  const did = "did:key:listed-on-postgres";
  await env.USER_VAULT.getByName(did).setPluginValue("memory", "key", "1");
  const found = databaseOf(env).prepare("SELECT class FROM stored_objects WHERE name = ?1").bind(did).first("class");
  expect(await found).toBe("UserVault");
});
