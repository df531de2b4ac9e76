/** CreditLedger inside workerd: exact under parallel load and across evictions, and its alarm frees lost holds. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CONFIRMED_HOLD_MS, UNCONFIRMED_HOLD_MS } from "../../durable-objects/credit-ledger/ledger.ts";

/** So far ahead that no alarm runs on its own: the runtime uses its own clock. */
const START = Date.UTC(2100, 0, 1);
const CREDIT = 1_000_000;
const terms = { amount: 5 * CREDIT, minimum: 10 * CREDIT, initial: 0 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function ledger() {
  return env.CREDIT_LEDGER.getByName(`did:key:${crypto.randomUUID()}`);
}

/** Computed from the entries, independent of the object's running sums. */
function sums(stub: ReturnType<typeof ledger>) {
  return runInDurableObject(stub, (_object, state) =>
    state.storage.sql
      .exec(
        "SELECT SUM(granted) AS granted, SUM(balance) AS balance, SUM(held) AS held, SUM(spent) AS spent FROM entries",
      )
      .one(),
  );
}

test("200 concurrent turns with credits for 50: 50 hold them and 150 do not; the sums are exact after all have ended [OR-336, OR-339]", async () => {
  const stub = ledger();
  await stub.grant("fifty", 260 * CREDIT);
  const runs = Array.from({ length: 200 }, (_, index) => `run-${index}`);
  const answers = await Promise.all(runs.map((runId) => stub.hold({ ...terms, runId })));
  const admitted = runs.filter((_, index) => answers[index]?.held === true);
  expect(admitted).toHaveLength(50);
  expect(answers.filter((answer) => !answer.held)).toEqual(Array(150).fill({ held: false, reason: "low" }));
  await evictDurableObject(stub);
  expect(await sums(stub)).toEqual({ granted: -260 * CREDIT, balance: 10 * CREDIT, held: 250 * CREDIT, spent: 0 });

  // Each end is reported twice, and every turn has a different cost.
  const cost = (index: number) => index * 123_457;
  const charges = await Promise.all(
    [...admitted, ...admitted].map((runId, index) => stub.settle(runId, cost(index % admitted.length))),
  );
  expect(charges.filter(({ repeated }) => !repeated)).toHaveLength(50);
  const spent = admitted.reduce((sum, _, index) => sum + cost(index), 0);
  expect(await sums(stub)).toEqual({ granted: -260 * CREDIT, balance: 260 * CREDIT - spent, held: 0, spent });
  expect(await stub.summary(0)).toEqual({ balance: 260 * CREDIT - spent, held: 0 });
});

test("the alarm frees holds of lost turns, even after an eviction, and no longer runs when none is left [OR-340]", async () => {
  const stub = ledger();
  await stub.grant("g", 100 * CREDIT);
  await stub.hold({ ...terms, runId: "lost" });
  await stub.hold({ ...terms, runId: "runs" });
  await stub.cover("runs", 6 * CREDIT);
  await evictDurableObject(stub);
  vi.setSystemTime(START + UNCONFIRMED_HOLD_MS);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await stub.summary(0)).toEqual({ balance: 94 * CREDIT, held: 6 * CREDIT });
  vi.setSystemTime(START + CONFIRMED_HOLD_MS);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await stub.summary(0)).toEqual({ balance: 100 * CREDIT, held: 0 });
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

test("the database refuses an entry that does not sum to zero, and a balance below zero [OR-339]", async () => {
  const stub = ledger();
  await stub.grant("g", 1);
  await runInDurableObject(stub, (_object, { storage }) => {
    const entry = "INSERT INTO entries (key, at, granted, balance, held, spent) VALUES ('x', 0, 0, 1, 0, 0)";
    expect(() => storage.sql.exec(entry)).toThrow(/CHECK/);
    expect(() => storage.sql.exec("UPDATE accounts SET balance = -1")).toThrow(/CHECK/);
  });
});
