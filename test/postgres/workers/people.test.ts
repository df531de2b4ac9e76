/** Copies and erasures of phone customers with PostgreSQL as the database. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { continueErasures } from "../../../workers/ussd/people/erase-person.ts";
import { countRows } from "../../support/ussd/accounts.ts";
import { OPERATOR } from "../../support/ussd/edge.ts";
import { askPeople, furnishCustomer, peopleEdge, peopleSettings } from "../../support/ussd/people.ts";
import { declaredIn } from "../../support/documents/stored-data.ts";

test("a customer is copied, erased, and erased again after a restore [PH-151, PH-153, PH-155, RG-285]", async () => {
  const edge = peopleEdge();
  const database = databaseOf(env);
  const customer = await furnishCustomer(edge);
  const rows = () => countRows(database, "customers WHERE customer_id = ?", customer.customerId);
  const copy = await askPeople(edge, "export", { customerId: customer.customerId });
  expect(await copy.text()).toContain(`"kind":"end"`);
  const account = await database
    .prepare("SELECT * FROM customers WHERE customer_id = ?")
    .bind(customer.customerId)
    .first<Record<string, string | number | null>>();
  const erased = await askPeople(edge, "erase", { phoneNumber: customer.phoneNumber });
  expect(await erased.json()).toMatchObject({ state: "erased" });
  expect(await rows()).toBe(0);
  expect(await countRows(database, "phones WHERE phone_e164 = ?", customer.phoneNumber)).toBe(0);
  const listed = await edge.call("GET", "/api/ussd/ops/people/erased", { headers: OPERATOR });
  const { erased: list } = await listed.json<{ erased: object[] }>();

  const columns = Object.keys(account ?? {});
  const marks = columns.map((_, index) => `?${index + 1}`).join(", ");
  await database.batch([
    database.prepare("DELETE FROM phone_erasures"),
    database
      .prepare(`INSERT INTO customers (${columns.join(", ")}) VALUES (${marks})`)
      .bind(...Object.values(account ?? {})),
  ]);
  expect(await (await askPeople(edge, "erased/add", { erased: list })).json()).toEqual({ unknownKeys: [] });
  expect(await (await askPeople(edge, "reapply", {})).json()).toMatchObject({ found: 1, next: "phone:0" });
  await continueErasures(await peopleSettings(() => Date.now() + 60_000));
  expect(await rows()).toBe(0);
});

test("every table of PostgreSQL is declared, and no other [ALL-80]", async () => {
  const { results } = await databaseOf(env)
    .prepare(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    )
    .all<{ name: string }>();
  const names = results.map(({ name }) => name).filter((name) => name !== "applied_migrations");
  expect(names.toSorted()).toEqual(declaredIn("DATABASE"));
});
