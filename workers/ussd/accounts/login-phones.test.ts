/** The migration that gives the phone of each existing account its own attempts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sqliteWith } from "../../../test/support/storage/sqlite-database.ts";

test("the phone of each existing account has its own attempts [PH-60]", () => {
  const database = sqliteWith(["0003_ussd.sql"]);
  database.exec(`
    INSERT INTO phones (id, phone_e164, first_seen, last_seen, visits) VALUES (7, '+260971230001', 1, 1, 1);
    INSERT INTO customers (id, customer_id, full_name, creation_key, created_at, updated_at)
    VALUES (3, 'C12345678', 'John Doe', 'k', 5, 5), (4, 'C87654321', 'Jane Roe', 'l', 6, 6);
    INSERT INTO customer_phones (customer_id, phone_id, is_primary) VALUES (3, 7, 1);
  `);
  database.exec(readFileSync("migrations/0008_ussd_login_phones.sql", "utf8"));
  const rows = database.prepare("SELECT customer_id, phone_id, failed_attempts, logged_in_at FROM login_phones").all();
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { customer_id: 3, phone_id: 7, failed_attempts: 0, logged_in_at: 5 },
  ]);
});

test("a database that had the migration under its earlier number keeps its counts", () => {
  const database = sqliteWith(["0003_ussd.sql", "0008_ussd_login_phones.sql"]);
  database.exec(`
    INSERT INTO phones (id, phone_e164, first_seen, last_seen, visits) VALUES (7, '+260971230001', 1, 1, 1);
    INSERT INTO customers (id, customer_id, full_name, creation_key, created_at, updated_at)
    VALUES (3, 'C12345678', 'John Doe', 'k', 5, 5);
    INSERT INTO customer_phones (customer_id, phone_id, is_primary) VALUES (3, 7, 1);
    INSERT INTO login_phones (customer_id, phone_id, failed_attempts, logged_in_at) VALUES (3, 7, 2, 9);
  `);
  database.exec(readFileSync("migrations/0008_ussd_login_phones.sql", "utf8"));
  expect(
    database
      .prepare("SELECT failed_attempts FROM login_phones")
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ failed_attempts: 2 }]);
});
