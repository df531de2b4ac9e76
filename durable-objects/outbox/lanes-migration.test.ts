/** Messages stored by a release without lanes continue in the lanes of their domains. */
import { expect, test } from "vitest";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { migrate } from "../../platform/object-schema.ts";
import { migrations } from "./rows.ts";
import { createOutboxStore } from "./store.ts";

test("waiting messages keep the order within their domains, and no other order", () => {
  const storage = createSqliteStorage();
  migrate(storage, migrations.slice(0, 1));
  storage.sql.exec("INSERT INTO outbox (id, cursor, dead_in_a_row) VALUES (1, 7, 2)");
  const add = (id: string, body: string, ordered = 1) =>
    storage.sql.exec(
      `INSERT INTO deliveries (id, topic, body, ordered, state, attempts, attempts_allowed, taken_at, next_attempt_at)
       VALUES (?, 't', ?, ?, 'pending', 0, 10, 0, ?)`,
      id,
      body,
      ordered,
      id === "a1" ? 60_000 : 0,
    );
  for (const id of ["a1", "b1", "a2"]) add(id, JSON.stringify({ data: { domainId: id[0] } }));
  add("text", "no JSON");
  const store = createOutboxStore(storage);
  store.add([{ id: "a3", topic: "t", body: "{}", ordered: true, lane: "a" }], 0);
  expect(store.summary()).toMatchObject({ pending: 5, cursor: 7 });
  expect(store.due(0, 9).map(({ id }) => id)).toEqual(["b1", "text"]);
  expect(store.due(60_000, 9).map(({ id }) => id)).toEqual(["b1", "text", "a1"]);
});
