/** The SQL in docs/guides/cookbook.md applies to the migrated database. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(project, path), "utf8");

test("the migration for another language keeps the rows and allows the language [PH-65]", () => {
  const database = new DatabaseSync(":memory:");
  for (const path of globSync("migrations/*.sql", { cwd: project }).toSorted()) database.exec(read(path));
  const phone = "INSERT INTO phones (phone_e164, language, first_seen, last_seen, visits)";
  database.exec(`${phone} VALUES ('+260971230001', 'sw', 1, 1, 1)`);
  const [, migration = ""] = /^ *```sql\n([^]*?)^ *```$/m.exec(read("docs/guides/cookbook.md")) ?? [];
  database.exec(migration);
  database.exec(`${phone} VALUES ('+260971230002', 'ny', 1, 1, 1)`);
  const rows = database.prepare("SELECT language FROM phones ORDER BY id").all();
  expect(rows.map(({ language }) => language)).toEqual(["sw", "ny"]);
  expect(() => database.exec("UPDATE phones SET language = 'xx'")).toThrow(/CHECK constraint failed/);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
});
