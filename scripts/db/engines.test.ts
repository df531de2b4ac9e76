/** Values that the engines print differently are the same for a copy: integers, texts, bytes and NULL; and both order by bytes. */
import fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openFile, openUrl } from "../../test/support/storage/copied-databases.ts";
import { hasPostgres, startTestPostgres, type TestPostgres } from "../../test/support/storage/postgres-server.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { copyDatabase } from "./copy.ts";
import type { Database } from "./database.ts";
import { compareKeys, walk } from "./walk.ts";

let server: TestPostgres | undefined;
beforeAll(async () => {
  if (hasPostgres) server = await startTestPostgres();
});
afterAll(() => server?.close());

const RUNS = 15;
const quiet = { catchUp: true, note: () => undefined };

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "0", "null", "é", "e\u0301", "🌍", "\uffff", "a\0b", String.raw`\u0000`, String.raw`\\u0000`),
);
/** In another order than NUL, PostgreSQL sorts the text that stands for it; no key of ours has either. */
const word = text.map((value) => value.replaceAll("\0", ""));
const integer = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(0n, -1n, 9_007_199_254_740_993n));
const bytes = fc.option(fc.uint8Array());
const rows = fc.uniqueArray(fc.tuple(word, integer, fc.option(text), fc.option(integer), bytes), {
  selector: ([name, number]) => `${number} ${name}`,
});

async function rowsOf(database: Database) {
  const [table] = await database.engine.tables(database.runner);
  if (table === undefined) throw new Error("the table is missing");
  const found = [];
  for await (const step of walk(database, database, table)) found.push(step.kind === "equal" ? step.source : step.kind);
  const rows = found.filter((row) => typeof row !== "string");
  const orders = rows.slice(1).map((row, index) => compareKeys(table, rows[index] ?? [], row));
  expect(orders.filter((order) => order >= 0)).toEqual([]);
  return found;
}

function sqliteTable(name: string): string {
  const file = join(temporaryDirectory(), name);
  const database = new DatabaseSync(file);
  database.exec(
    "CREATE TABLE kinds (word TEXT, number INTEGER, other TEXT, amount INTEGER, image BLOB, PRIMARY KEY (word, number))",
  );
  database.close();
  return file;
}

test.runIf(hasPostgres)("any values arrive in PostgreSQL and come back [RG-286, RG-289]", async () => {
  const [first, last] = [sqliteTable("first.sqlite"), sqliteTable("last.sqlite")];
  const source = openFile(first);
  const back = openFile(last);
  const middle = await openUrl((await server?.newDatabase()) ?? "");
  for (const { runner } of [source, middle, back]) onTestFinished(() => runner.close());
  await middle.runner.batch([
    {
      sql: "CREATE TABLE kinds (word TEXT, number BIGINT, other TEXT, amount BIGINT, image BYTEA, PRIMARY KEY (word, number))",
    },
  ]);
  const writer = new DatabaseSync(first);
  onTestFinished(() => writer.close());
  const insert = writer.prepare("INSERT INTO kinds VALUES (?, ?, ?, ?, ?)");
  await fc.assert(
    fc.asyncProperty(rows, async (values) => {
      writer.exec("DELETE FROM kinds");
      for (const row of values) insert.run(...row);
      expect(await copyDatabase(source, middle, quiet)).toMatchObject({ ok: true });
      expect(await copyDatabase(middle, back, quiet)).toMatchObject({ ok: true });
      const expected = await rowsOf(source);
      expect(expected).toHaveLength(values.length);
      expect(await rowsOf(middle)).toEqual(expected);
      expect(await rowsOf(back)).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
});

test("a page is limited by its bytes, and a longer row is a separate page [RG-287]", async () => {
  const file = sqliteTable("long.sqlite");
  const database = openFile(file);
  onTestFinished(() => database.runner.close());
  const long = "x".repeat(400_000);
  const insert = (number: number, other: string) => ({
    sql: "INSERT INTO kinds (word, number, other) VALUES ('a', CAST(?1 AS INTEGER), ?2)",
    values: [String(number), other],
  });
  await database.runner.batch([insert(1, long), insert(2, long), insert(3, long.repeat(3)), insert(4, "short")]);
  const [table] = await database.engine.tables(database.runner);
  if (table === undefined) throw new Error("the table is missing");
  const lengths: number[] = [];
  const counted: Database = {
    ...database,
    runner: {
      ...database.runner,
      async query(statement) {
        const page = await database.runner.query(statement);
        lengths.push(page.length);
        return page;
      },
    },
  };
  const steps = [];
  for await (const step of walk(counted, database, table)) steps.push(step.kind);
  expect(steps).toEqual(["equal", "equal", "equal", "equal"]);
  expect(lengths).toEqual([1, 1, 1, 1, 0]);
});

test("the walk refuses rows in another order than by key", async () => {
  const database = openFile(sqliteTable("order.sqlite"));
  onTestFinished(() => database.runner.close());
  const [table] = await database.engine.tables(database.runner);
  if (table === undefined) throw new Error("the table is missing");
  const page = [
    ["b", "1", null, null, null],
    ["a", "1", null, null, null],
  ];
  const wrong: Database = { ...database, runner: { ...database.runner, query: () => Promise.resolve(page) } };
  const all = async () => {
    for await (const step of walk(wrong, database, table)) expect(step.kind).toBe("missing");
  };
  await expect(all()).rejects.toThrow("in another order than by key");
});
