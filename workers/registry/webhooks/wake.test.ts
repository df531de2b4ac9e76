/** Which outboxes a change wakes. */
import { expect, test } from "vitest";
import type { OutboxRpc } from "../../../durable-objects/outbox/rpc.ts";
import type { Database, Statement } from "../../../platform/database/database.ts";
import { createSqliteDatabase, registryMigrations } from "../../../test/support/storage/sqlite-database.ts";
import { createWaker } from "./wake.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

function webhooks() {
  const real: Database = createSqliteDatabase(registryMigrations);
  let [reads, held]: [number, Promise<void>] = [0, Promise.resolve()];
  /** Results of reads arrive when `held` has resolved. */
  const database: Database = {
    batch: (statements) => real.batch(statements),
    prepare(text) {
      const statement = real.prepare(text);
      const all: Statement["all"] = async <Row>() => {
        reads += 1;
        const [result] = await Promise.all([statement.all<Row>(), held]);
        return result;
      };
      return Object.assign(Object.create(statement) as Statement, { all });
    },
  };
  const woken: string[] = [];
  const outboxes = (id: string) => ({ wake: async () => void woken.push(id) }) as unknown as OutboxRpc;
  return {
    waker: createWaker(database, outboxes, () => 0),
    woken,
    reads: () => reads,
    hold(until: Promise<void>) {
      held = until;
    },
    add: (id: string) =>
      real
        .prepare(
          `INSERT INTO webhooks (id, url, description, actions, enabled, created_by, created_at, updated_at)
           VALUES (?1, 'https://hooks.test/', '', '[]', 1, 'key_1', 0, 0)`,
        )
        .bind(id)
        .run(),
  };
}

test("a webhook that is created while a wake reads the list is woken by the next change [RG-148]", async () => {
  const { waker, woken, hold, add } = webhooks();
  const { promise, resolve } = Promise.withResolvers<void>();
  hold(promise);
  const early = waker.wakeSoon(log);
  await add("new");
  waker.forget();
  resolve();
  await early;
  await waker.wakeSoon(log);
  expect(woken).toEqual(["new"]);
});

test("the list is read once for the changes of the next seconds", async () => {
  const { waker, woken, reads, add } = webhooks();
  await add("one");
  await waker.wakeSoon(log);
  await waker.wakeSoon(log);
  expect([woken, reads()]).toEqual([["one", "one"], 1]);
});
