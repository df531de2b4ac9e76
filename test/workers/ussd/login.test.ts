/** Guessing PINs over a real D1: counts, locks, unknown ids, moved records. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PIN_ITERATIONS } from "../../../workers/ussd/accounts/pin.ts";
import {
  countRows,
  HOUR,
  MINUTE,
  newCaller,
  newCustomer,
  PIN,
  testAccounts,
  valueOf,
} from "../../support/ussd/accounts.ts";

const accounts = () => testAccounts(env.DATABASE);
const unknownId = () => `C${crypto.randomUUID().replaceAll("-", "").slice(0, 9).toUpperCase()}`;
const used = (attempts: number) => ({ state: "refused", attemptsUsed: attempts, attemptsLeft: 3 - attempts });
const locked = (minutes: number, now: boolean) => ({ state: "locked", minutes, now });

test("accepts the right PIN with the id in any case, from any phone; a new phone is recorded [PH-52, PH-104]", async () => {
  const { port } = await accounts();
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const outcome = await valueOf(port.login({ caller, customerId: customerId.toLowerCase(), pin: PIN }));
  expect(outcome).toMatchObject({
    state: "accepted",
    login: { customerId, epoch: 0 },
    customer: { customerId, name: "John Doe", language: null, linkedDid: null },
    mustChangePin: false,
  });
  await valueOf(port.login({ caller: newCaller(), customerId, pin: PIN }));
  const { results } = await env.DATABASE.prepare("SELECT event FROM audit_log WHERE customer_id = ? ORDER BY id")
    .bind(customerId)
    .all();
  expect(results.map(({ event }) => event)).toEqual([
    "ACCOUNT_CREATED",
    "LOGIN_SUCCESS",
    "LOGIN_SUCCESS",
    "LOGIN_NEW_PHONE",
  ]);
});

test("three wrong PINs over three dials lock the phone for the account; then the right one is rejected until the lock expires [PH-58, PH-59]", async () => {
  const { port, clock } = await accounts();
  const customerId = await newCustomer(port, newCaller());
  const { phoneNumber } = newCaller();
  const guess = (pin: string) =>
    valueOf(port.login({ caller: { phoneNumber, sessionId: crypto.randomUUID() }, customerId, pin }));
  expect(await guess("99999")).toEqual(used(1));
  expect(await guess("99998")).toEqual(used(2));
  expect(await guess("99997")).toEqual(locked(15, true));
  expect(await guess(PIN)).toEqual(locked(15, false));
  clock.now += 15 * MINUTE - 1;
  expect(await guess(PIN)).toEqual(locked(1, false));
  clock.now += 1;
  expect(await guess(PIN)).toMatchObject({ state: "accepted" });
  expect(await guess("99999")).toEqual(used(1));
});

test("each lock is twice as long as the previous one, up to a day; a right PIN resets this [PH-59]", async () => {
  const { port, clock } = await accounts();
  const customerId = await newCustomer(port, newCaller());
  const caller = newCaller();
  const guess = (pin: string) => valueOf(port.login({ caller, customerId, pin }));
  const lock = async () => {
    await guess("99999");
    await guess("99999");
    const outcome = await guess("99999");
    if (outcome.state !== "locked") throw new Error(outcome.state);
    clock.now += outcome.minutes * MINUTE;
    return outcome.minutes;
  };
  const minutes: number[] = [];
  for (let round = 0; round < 9; round += 1) minutes.push(await lock());
  expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440]);
  expect(await guess(PIN)).toMatchObject({ state: "accepted" });
  expect(await lock()).toBe(15);
});

test("the third guess can be the right one [PH-59]", async () => {
  const { port } = await accounts();
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  const guess = (pin: string) => valueOf(port.login({ caller, customerId, pin }));
  await guess("99999");
  await guess("99999");
  expect(await guess(PIN)).toMatchObject({ state: "accepted" });
  expect(await guess("99999")).toEqual(used(1));
});

describe("an unknown id", () => {
  test("is answered like a customer's, over any course of wrong guesses and hours [PH-57]", async () => {
    const { port, clock } = await accounts();
    const ids = [await newCustomer(port, newCaller()), unknownId()];
    const waits = [
      0,
      0,
      0,
      MINUTE,
      15 * MINUTE,
      0,
      0,
      29 * MINUTE,
      MINUTE,
      23 * HOUR,
      0,
      HOUR,
      47 * HOUR,
      0,
      0,
      25 * HOUR,
      0,
    ];
    for (const wait of waits) {
      clock.now += wait;
      const [one, other] = await Promise.all(
        ids.map((customerId) => valueOf(port.login({ caller: newCaller(), customerId, pin: "99999" }))),
      );
      expect(other).toEqual(one);
    }
  });

  test("is forgotten a day after its last attempt or lock, and not before [PH-59]", async () => {
    const { port, clock, purge } = await accounts();
    await env.DATABASE.prepare("DELETE FROM login_guard").run();
    const customerId = unknownId();
    const caller = newCaller();
    const guess = () => valueOf(port.login({ caller, customerId, pin: "99999" }));
    for (let index = 0; index < 3; index += 1) await guess();
    const guarded = (): Promise<number> => countRows(env.DATABASE, "login_guard WHERE locked_until IS NOT NULL");
    expect(await guarded()).toBe(1);
    clock.now += 24 * HOUR + 15 * MINUTE - 1;
    await valueOf(purge());
    expect(await guarded()).toBe(1);
    clock.now += 1;
    await valueOf(purge());
    expect(await countRows(env.DATABASE, "login_guard")).toBe(0);
    expect(await guess()).toEqual(used(1));
  });

  test("has its audit entries deleted after 30 days; a customer's and an operator's stay [PH-104]", async () => {
    const { port, operators, clock, purge, sessionKey } = await accounts();
    const [owner, guesser, thief] = [newCaller(), newCaller(), newCaller()];
    const customerId = await newCustomer(port, owner);
    await valueOf(port.login({ caller: guesser, customerId: unknownId(), pin: "99999" }));
    await valueOf(port.reportBindRefusal(thief));
    await valueOf(port.login({ caller: guesser, customerId, pin: "99999" }));
    await valueOf(operators.reportRead("sessions"));
    const [guesses, thefts] = await Promise.all([guesser, thief].map(({ sessionId }) => sessionKey(sessionId)));
    const entries = () =>
      countRows(env.DATABASE, "audit_log WHERE session_key IN (?, ?) OR event = 'OPS_READ'", guesses, thefts);
    const before = await entries();
    clock.now += 30 * 24 * HOUR - 1;
    await valueOf(purge());
    expect(await entries()).toBe(before);
    clock.now += 1;
    await valueOf(purge());
    expect(await entries()).toBe(before - 2);
  });

  test("costs as many database calls and statements [PH-57]", async () => {
    const { port } = await accounts();
    const ids = [await newCustomer(port, newCaller()), unknownId()];
    const courses = await Promise.all(
      ids.map(async (customerId) => {
        const statements: number[] = [];
        const counting = await testAccounts(countingBatches(statements));
        const caller = newCaller();
        for (let guess = 0; guess < 4; guess += 1) {
          await valueOf(counting.port.login({ caller, customerId, pin: "99999" }));
        }
        return statements;
      }),
    );
    expect(courses[0]).toEqual([6, 1, 6, 1, 6, 2, 6]);
    expect(courses[1]).toEqual(courses[0]);
  });

  test("is not stored [PH-57]", async () => {
    const { port } = await accounts();
    const customerId = unknownId();
    await valueOf(port.login({ caller: newCaller(), customerId, pin: "99999" }));
    const tables = await env.DATABASE.batch([
      env.DATABASE.prepare("SELECT * FROM login_guard"),
      env.DATABASE.prepare("SELECT * FROM audit_log"),
    ]);
    expect(JSON.stringify(tables)).not.toContain(customerId);
  });
});

test("equal PINs are stored differently, and a record that is moved cannot be opened [PH-113]", async () => {
  const { port, log } = await accounts();
  const caller = newCaller();
  const [one, other] = [await newCustomer(port, caller), await newCustomer(port, caller)];
  const sealedOf = (id: string) =>
    env.DATABASE.prepare("SELECT pin_sealed FROM customers WHERE customer_id = ?").bind(id).first<string>("pin_sealed");
  const moved = await sealedOf(one);
  expect(moved).not.toBe(await sealedOf(other));
  await env.DATABASE.prepare("UPDATE customers SET pin_sealed = ? WHERE customer_id = ?").bind(moved, other).run();
  expect(await valueOf(port.login({ caller, customerId: other, pin: PIN }))).toEqual(used(1));
  expect(log).toEqual([JSON.stringify({ level: "error", event: "pin-unreadable", keyId: "k1" })]);
});

test("a customer without a PIN is rejected like a wrong one [PH-57]", async () => {
  const { port } = await accounts();
  const customerId = await newCustomer(port, newCaller());
  await env.DATABASE.prepare("UPDATE customers SET pin_sealed = NULL, pin_key_id = NULL WHERE customer_id = ?")
    .bind(customerId)
    .run();
  const caller = newCaller();
  for (const [index, pin] of ["", PIN].entries()) {
    expect(await valueOf(port.login({ caller, customerId, pin }))).toEqual(used(index + 1));
  }
});

test("the full hash runs in the Workers runtime [PH-113]", async () => {
  const { port } = await testAccounts(env.DATABASE, { iterations: PIN_ITERATIONS });
  const caller = newCaller();
  const customerId = await newCustomer(port, caller);
  expect(await valueOf(port.login({ caller, customerId, pin: "99999" }))).toEqual(used(1));
  expect(await valueOf(port.login({ caller, customerId, pin: PIN }))).toMatchObject({ state: "accepted" });
});

/** The real database; every batch records the number of its statements. */
function countingBatches(statements: number[]): D1Database {
  return new Proxy(env.DATABASE, {
    get(database, name) {
      if (name === "prepare") return (sql: string) => database.prepare(sql);
      if (name !== "batch") throw new Error(`a login uses ${String(name)}`);
      return (batch: D1PreparedStatement[]) => {
        statements.push(batch.length);
        return database.batch(batch);
      };
    },
  });
}
