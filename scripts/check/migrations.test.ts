/** The database's migrations: wrangler applies them in the order of their names, each once, to databases with data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../migrations");
const names = sqlFiles(folder);
/** The last migration of the first release. */
const FIRST_RELEASE = "0005_registry_webhooks.sql";

function sqlFiles(path: string): readonly string[] {
  return readdirSync(path)
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

function apply(database: DatabaseSync, migrations: readonly string[]): void {
  for (const name of migrations) database.exec(readFileSync(join(folder, name), "utf8"));
}

test("each migration has a unique number, without gaps", () => {
  const numbers = names.map((name) => name.slice(0, 5));
  const last = Number(numbers.at(-1)?.slice(0, 4));
  const all = Array.from({ length: last }, (_, index) => `${String(index + 1).padStart(4, "0")}_`);
  expect(numbers).toEqual(all);
});

test("each migration has one for PostgreSQL with its number and name [RG-285]", () => {
  const [functions = "", ...others] = sqlFiles(join(folder, "postgres"));
  expect(functions).toMatch(/^0000_/);
  expect(others).toEqual(names);
});

test("the migrations since the first release apply to a database with its data", () => {
  const database = new DatabaseSync(":memory:");
  const first = names.indexOf(FIRST_RELEASE) + 1;
  apply(database, names.slice(0, first));
  database.exec(`
    INSERT INTO domains (id, type, type_key, class, metadata, owner, controllers, status, verification_status,
      services, document, credentials, accounts, version, version_id, created_at, updated_at)
    VALUES ('d', 'Project', 'project', 'did:a:b', '{}', 'did:a:o', '["did:a:o"]', 'active', 'AwaitingVerification',
      '[]', '{}', '[]', '[]', 1, 'v', 1, 1);
    INSERT INTO phones (id, phone_e164, first_seen, last_seen, visits) VALUES (7, '+260971230001', 1, 1, 1);
    INSERT INTO customers (id, customer_id, full_name, creation_key, created_at, updated_at)
    VALUES (3, 'C12345678', 'John Doe', 'k', 5, 5);
    INSERT INTO customer_phones (customer_id, phone_id, is_primary) VALUES (3, 7, 1);
  `);
  apply(database, names.slice(first));
  expect({ ...database.prepare("SELECT content_version, verified_version FROM domains").get() }).toEqual({
    content_version: 1,
    verified_version: null,
  });
  expect({ ...database.prepare("SELECT customer_id, phone_id FROM login_phones").get() }).toEqual({
    customer_id: 3,
    phone_id: 7,
  });
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
});
