/** `npm run db -- copy` and `verify` between D1 and PostgreSQL, in both directions, and between two D1 databases. */
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { migratedFile, migratedUrl, openFile } from "../../test/support/storage/copied-databases.ts";
import { fillRegistry } from "../../test/support/storage/filled-registry.ts";
import { hasPostgres, startTestPostgres, type TestPostgres } from "../../test/support/storage/postgres-server.ts";
import { removeDirectory } from "../../test/support/server/remove-directory.ts";
import { temporaryDirectory } from "../../test/support/server/temporary-directory.ts";
import { copyDatabase } from "./copy.ts";
import { readState } from "./copy-state.ts";
import type { Database, Statement } from "../../shared/tables/table.ts";
import { verifyDatabases, type TableReport } from "./verify.ts";

const DOMAINS = 240;

let server: TestPostgres | undefined;
beforeAll(async () => {
  if (hasPostgres) server = await startTestPostgres();
});
afterAll(() => server?.close());

const quiet = { catchUp: false, note: () => undefined };

function closedAfterTest(database: Database): Database {
  onTestFinished(() => database.runner.close());
  return database;
}

/** Made once, and copied for each test. */
const made = mkdtempSync(join(tmpdir(), "twinedge-copy-"));
beforeAll(() => {
  migratedFile(made, "empty.sqlite");
  const database = new DatabaseSync(migratedFile(made, "filled.sqlite"));
  fillRegistry(database, DOMAINS);
  database.close();
});
afterAll(() => removeDirectory(made));

function fileOf(name: "empty.sqlite" | "filled.sqlite"): string {
  const file = join(temporaryDirectory(), name);
  copyFileSync(join(made, name), file);
  return file;
}

const filledFile = () => fileOf("filled.sqlite");
const emptyFile = () => closedAfterTest(openFile(fileOf("empty.sqlite"), "target"));
const emptyPostgres = async () => closedAfterTest(await migratedUrl((await server?.newDatabase()) ?? ""));

async function reportsOf(one: Database, other: Database): Promise<readonly TableReport[]> {
  const reports: TableReport[] = [];
  const compared = await verifyDatabases(one, other, (report) => reports.push(report));
  expect(compared).toMatchObject({ ok: true });
  return reports;
}

const differing = async (one: Database, other: Database) =>
  (await reportsOf(one, other)).flatMap(({ named }) => [...named]);

/** The target, which ends after this many batches as if the process had been killed. */
function killedAfter(target: Database, batches: number): Database {
  let left = batches;
  return {
    ...target,
    runner: {
      ...target.runner,
      batch(statements: readonly Statement[]) {
        left -= 1;
        return left < 0 ? Promise.reject(new Error("killed")) : target.runner.batch(statements);
      },
    },
  };
}

const targets: readonly (readonly [string, boolean, () => Database | Promise<Database>])[] = [
  ["D1", true, emptyFile],
  ["PostgreSQL", hasPostgres, emptyPostgres],
];

describe.each(targets)("into %s", (_, isAvailable, emptyTarget) => {
  test.runIf(isAvailable)("every table arrives, with equal counts and digests [RG-286, RG-289]", async () => {
    const source = closedAfterTest(openFile(filledFile()));
    const target = await emptyTarget();
    expect(await copyDatabase(source, target, quiet)).toMatchObject({ ok: true, value: { removed: 0, equal: 0 } });
    const reports = await reportsOf(source, target);
    expect(reports.flatMap(({ named }) => named)).toEqual([]);
    const rows = new Map(reports.map(({ table, target: { rows } }) => [table, rows]));
    expect(rows.get("domains")).toBe(DOMAINS);
    expect(rows.get("domain_history")).toBe(2 * DOMAINS);
    expect(rows.get("domain_search")).toBe(DOMAINS);
    expect(rows.get("votes")).toBe(DOMAINS / 10);
    for (const { source: one, target: other } of reports) expect(other).toEqual(one);
    expect(await readState(target)).toBeUndefined();
  });

  test.runIf(isAvailable)("a killed copy continues after its last batch [RG-287]", async () => {
    const source = closedAfterTest(openFile(filledFile()));
    const target = await emptyTarget();
    for (const batches of [1, 3, 5]) {
      await expect(copyDatabase(source, killedAfter(target, batches), quiet)).rejects.toThrow("killed");
      expect(await readState(target)).toMatchObject({ source: source.place });
    }
    const notes: string[] = [];
    const copied = await copyDatabase(source, target, { ...quiet, note: (line) => notes.push(line) });
    expect(copied).toMatchObject({ ok: true, value: { equal: 0 } });
    expect(notes[0]).toBe("Continuing the copy that was interrupted ...");
    expect(await differing(source, target)).toEqual([]);
  });

  test.runIf(isAvailable)("a target with rows is refused, and --catch-up makes it equal [RG-288]", async () => {
    const file = filledFile();
    const source = closedAfterTest(openFile(file));
    const target = await emptyTarget();
    await copyDatabase(source, target, quiet);
    const database = new DatabaseSync(file);
    database.exec(`
      UPDATE proposals SET state = 'passed' WHERE id = 'proposal-10';
      INSERT INTO proposals (id, domain_id, kind, title, summary, proposer, proposer_role, state, rules, total_power, created_at,
        ends_at, due_at, previous_status)
      SELECT 'proposal-1', domain_id, kind, title, summary, proposer, proposer_role, 'open', rules, total_power, created_at,
        ends_at, due_at, previous_status FROM proposals WHERE id = 'proposal-10';
      UPDATE domains SET name = 'renamed' WHERE number = 5;
      DELETE FROM votes WHERE proposal_id = 'proposal-20';
      UPDATE phones SET phone_e164 = '+1' WHERE id = 10;
      UPDATE phones SET phone_e164 = '+2609710' WHERE id = 20;`);
    database.close();
    const refusal = await copyDatabase(source, target, quiet);
    expect(refusal).toMatchObject({ ok: false, error: expect.stringContaining("--catch-up") });
    expect((await differing(source, target)).toSorted()).toEqual(
      [
        "domains, number 5: differs in name",
        "phones, id 10: differs in phone_e164",
        "phones, id 20: differs in phone_e164",
        "proposals, id proposal-10: differs in state",
        "proposals, id proposal-1: only in the first database",
        "votes, proposal_id proposal-20, voter did:web:voter-20.example: only in the second database",
      ].toSorted(),
    );
    const caughtUp = await copyDatabase(source, target, { ...quiet, catchUp: true });
    expect(caughtUp).toMatchObject({ ok: true, value: { removed: 1 } });
    expect(await differing(source, target)).toEqual([]);
  });

  test.runIf(isAvailable)(
    "triggers and uniqueness are back after the copy, and numbering continues [RG-290]",
    async () => {
      const source = closedAfterTest(openFile(filledFile()));
      const target = await emptyTarget();
      await copyDatabase(source, target, quiet);
      const { runner } = target;
      const one = async (sql: string) => (await runner.query({ sql }))[0]?.[0];
      const insert = "INSERT INTO voters (did, weight, added_at, updated_at) VALUES ('did:web:new', 1, 5, 5)";
      const dialled = "INSERT INTO phones (phone_e164, first_seen, last_seen, visits) VALUES ('+7', 1, 1, 1)";
      await runner.batch([{ sql: insert }, { sql: dialled }]);
      expect(await one("SELECT CAST(max(version) AS TEXT) FROM roll_changes")).toBe(String(DOMAINS / 10 + 1));
      expect(await one("SELECT CAST(id AS TEXT) FROM phones WHERE phone_e164 = '+7'")).toBe(String(DOMAINS + 1));
      await expect(runner.batch([{ sql: "UPDATE phones SET phone_e164 = '+2609710' WHERE id = 20" }])).rejects.toThrow(
        /unique/i,
      );
    },
  );

  test.runIf(isAvailable)("another source does not continue a copy in progress [RG-287]", async () => {
    const file = filledFile();
    const source = closedAfterTest(openFile(file));
    const target = await emptyTarget();
    await expect(copyDatabase(source, killedAfter(target, 2), quiet)).rejects.toThrow("killed");
    const other = closedAfterTest(openFile(file, "another place"));
    expect(await copyDatabase(other, target, quiet)).toMatchObject({
      ok: false,
      error: expect.stringContaining("in progress"),
    });
    expect(await verifyDatabases(source, target, () => undefined)).toMatchObject({ ok: false });
  });
});

test("numbers of deleted rows are not given again [RG-290]", async () => {
  const source = closedAfterTest(openFile(filledFile()));
  const target = emptyFile();
  await copyDatabase(source, target, quiet);
  await target.runner.batch([{ sql: "INSERT INTO audit_log (at, event, detail) VALUES (1, 'new', '{}')" }]);
  const [[last] = []] = await target.runner.query({ sql: "SELECT CAST(max(id) AS TEXT) FROM audit_log" });
  // All but two of the entries of the source were deleted.
  expect(last).toBe(String(DOMAINS / 10 + 1));
});

test.runIf(hasPostgres)("a copy goes back from PostgreSQL to D1 without a difference [RG-286]", async () => {
  const source = closedAfterTest(openFile(filledFile()));
  const [middle, target] = [await emptyPostgres(), emptyFile()];
  await copyDatabase(source, middle, quiet);
  expect(await copyDatabase(middle, target, quiet)).toMatchObject({ ok: true });
  expect(await differing(source, target)).toEqual([]);
  const found = "SELECT CAST(count(*) AS TEXT) FROM domain_search WHERE domain_search MATCH 'stove'";
  const [[count] = []] = await target.runner.query({ sql: found });
  expect(Number(count)).toBeGreaterThan(0);
});

test.runIf(hasPostgres)(
  "a source that changes while it is read ends with advice, and the next run completes [RG-287]",
  async () => {
    const file = filledFile();
    const source = closedAfterTest(openFile(file));
    const target = await emptyPostgres();
    const writer = new DatabaseSync(file);
    // A customer and its phone appear when the tables of customers and phones have been read.
    const note = (line: string): void => {
      if (!line.startsWith("phones:")) return;
      writer.exec(`
      INSERT INTO phones (id, phone_e164, first_seen, last_seen, visits) VALUES (9999, '+9999', 1, 1, 1);
      INSERT INTO customers (id, customer_id, full_name, creation_key, created_at, updated_at)
        VALUES (9999, 'C9999', 'New', 'key-9999', 1, 1);
      INSERT INTO customer_phones (customer_id, phone_id, is_primary) VALUES (9999, 9999, 1);`);
    };
    expect(await copyDatabase(source, target, { catchUp: false, note })).toMatchObject({
      ok: false,
      error: expect.stringContaining("Run the same command again"),
    });
    writer.close();
    expect(await copyDatabase(source, target, quiet)).toMatchObject({ ok: true, value: { written: 2 } });
    expect(await differing(source, target)).toEqual([]);
  },
);
