/** The registry that release 0.2.0 stored, in the database of today: migrated, shrunk in steps, and read byte for byte. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { localD1File } from "../../../scripts/db/local-d1.ts";
import { restoreFiles } from "../../../test/support/releases/stored-files.ts";
import { d1Over } from "../../../test/support/storage/sqlite-database.ts";
import { readVersion } from "./history-store.ts";
import { shrinkHistory } from "./history-shrinking.ts";
import { readSnapshot } from "./stored-columns.ts";

const root = resolve(import.meta.dirname, "../../..");
/** Copies of the stored domain, so that its history needs several steps of 100 versions. */
const COPIES = 150;
const VERSIONS = 2;

interface StoredVersion {
  readonly domain_id: string;
  readonly version: number;
  readonly version_id: string;
  readonly at: number;
  readonly snapshot: string;
}

/** The database of the stored release, before any later migration. */
function openStored(version: string): DatabaseSync {
  const storage = mkdtempSync(join(tmpdir(), "twinedge-stored-"));
  onTestFinished(() => rmSync(storage, { recursive: true }));
  restoreFiles(join(root, "test/releases", version), storage);
  const file = localD1File(storage);
  if (!file.ok) throw new Error(file.error);
  const sqlite = new DatabaseSync(file.value);
  onTestFinished(() => sqlite.close());
  return sqlite;
}

/** Adds rows that differ from the stored ones in the domain's id alone. */
function multiply(sqlite: DatabaseSync): void {
  const id = String(sqlite.prepare("SELECT id FROM domains").get()?.["id"]);
  sqlite.exec("BEGIN");
  for (const [table, key, left] of [
    ["domains", "id", "number"],
    ["domain_history", "domain_id", ""],
    ["domain_controllers", "domain_id", ""],
    ["changes", "domain_id", "seq"],
  ] as const) {
    const columns = sqlite
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => String(name))
      .filter((name) => name !== left);
    const values = columns.map((name) => (name === key || name === "snapshot" ? `replace(${name}, ?1, ?2)` : name));
    const copy = sqlite.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM ${table} WHERE ${key} = ?1`,
    );
    for (let number = 1; number <= COPIES; number += 1)
      copy.run(id, `did:ixo:entity:${number.toString(16).padStart(32, "0")}`);
  }
  sqlite.exec("COMMIT");
}

function migrate(sqlite: DatabaseSync): readonly string[] {
  const applied = new Set(
    sqlite
      .prepare("SELECT name FROM d1_migrations")
      .all()
      .map(({ name }) => name),
  );
  const waiting = readdirSync(join(root, "migrations")).filter((name) => name.endsWith(".sql") && !applied.has(name));
  for (const name of waiting.toSorted()) sqlite.exec(readFileSync(join(root, "migrations", name), "utf8"));
  return waiting;
}

test("a registry that 0.2.0 stored is shrunk in bounded steps, and each version is read byte for byte [ALL-64, RG-273]", async () => {
  const sqlite = openStored("0.2.0");
  multiply(sqlite);
  const stored = sqlite
    .prepare("SELECT domain_id, version, version_id, at, snapshot FROM domain_history")
    .all() as unknown as readonly StoredVersion[];
  expect(stored).toHaveLength((COPIES + 1) * VERSIONS);
  expect(migrate(sqlite)).toEqual(
    expect.arrayContaining(["0018_registry_history.sql", "0019_registry_smaller_rows.sql"]),
  );
  const statements: string[] = [];
  const database = d1Over(sqlite, (text) => statements.push(text));

  async function expectStored(): Promise<void> {
    for (const { domain_id: id, version, version_id: versionId, at, snapshot } of stored) {
      for (const wanted of [{ version }, { versionId }, { at }]) {
        const found = await readVersion(database, id, wanted);
        expect(JSON.stringify(found?.record)).toBe(JSON.stringify(readSnapshot(snapshot)));
      }
    }
  }

  await expectStored();
  const withSnapshot = sqlite.prepare("SELECT count(*) AS n FROM domain_history WHERE snapshot <> '{}'");
  let [before, steps] = [Number(withSnapshot.get()?.["n"]), 0];
  for (let isRunning = true; isRunning; steps += 1) {
    statements.length = 0;
    isRunning = await shrinkHistory(database, 1);
    const after = Number(withSnapshot.get()?.["n"]);
    expect(statements.length).toBeLessThanOrEqual(6);
    expect(before - after).toBeLessThanOrEqual(100);
    before = after;
    await expectStored();
  }
  expect(before).toBe(0);
  expect(steps).toBeGreaterThanOrEqual((COPIES * VERSIONS) / 100);
});
