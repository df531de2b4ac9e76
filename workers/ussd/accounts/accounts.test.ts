/**
 * Accounts compared with a model, over a real database: any course of guesses and waits, counted one by one in the model.
 * Tests that need the real database are in test/workers/ussd.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LoginOutcome } from "../../../durable-objects/ussd-session/ports.ts";
import type { Database, Statement } from "../../../platform/database/database.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import {
  HOUR,
  LIMITS,
  MINUTE,
  newCaller,
  newCustomer,
  PIN,
  testAccounts,
  valueOf,
} from "../../../test/support/ussd/accounts.ts";
import { createCustomerId } from "./creation.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 100);
const DAY = 24 * HOUR;
/** Milliseconds per course, many times the usual duration. */
const COURSE_TIME = 100;

const newDatabase = () => testDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql", "0013_ussd_gateways.sql"]);

interface Counter {
  used: number;
  level: number;
  lockedUntil: number;
  attemptedAt: number;
}

/** The reference result of one guess. */
function guessByDefinition(counter: Counter, now: number, right: boolean): LoginOutcome["state"] {
  if (counter.lockedUntil > now) return "locked";
  if (Math.max(counter.attemptedAt, counter.lockedUntil) + DAY <= now) Object.assign(counter, { used: 0, level: 0 });
  counter.attemptedAt = now;
  if (right) {
    Object.assign(counter, { used: 0, level: 0, lockedUntil: 0 });
    return "accepted";
  }
  counter.used += 1;
  if (counter.used < LIMITS.pinAttempts) return "refused";
  counter.lockedUntil = now + Math.min(15 * MINUTE * 2 ** counter.level, DAY);
  Object.assign(counter, { used: 0, level: counter.level + 1 });
  return "locked";
}

describe("the counter of wrong PINs", () => {
  const steps = fc.array(
    fc.record({
      wait: fc.oneof(fc.nat(20 * MINUTE), fc.constantFrom(0, 15 * MINUTE, DAY - 1, DAY, 2 * DAY)),
      right: fc.boolean(),
      burst: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 25 },
  );

  test(
    "agrees with its definition over any course [PH-58, PH-59]",
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (course) => {
          const { port, clock } = await testAccounts(newDatabase(), { iterations: 1 });
          const caller = newCaller();
          const customerId = await newCustomer(port, caller);
          const counter: Counter = { used: 0, level: 0, lockedUntil: 0, attemptedAt: clock.now };
          for (const { wait, right, burst } of course) {
            clock.now += wait;
            for (let guess = 0; guess < burst; guess += 1) {
              const pin = right && guess === burst - 1 ? PIN : "99999";
              const { state } = await valueOf(port.login({ caller, customerId, pin }));
              expect(state).toBe(guessByDefinition(counter, clock.now, pin === PIN));
            }
          }
        }),
        { numRuns },
      );
    },
    5_000 + numRuns * COURSE_TIME,
  );

  test("locks at one attempt if the limit is one, and at the tenth if it is ten [PH-59]", async () => {
    for (const pinAttempts of [1, 10]) {
      const { port } = await testAccounts(newDatabase(), { limits: { pinAttempts } });
      const caller = newCaller();
      const customerId = await newCustomer(port, caller);
      const guess = () => valueOf(port.login({ caller, customerId, pin: "99999" }));
      for (let used = 1; used < pinAttempts; used += 1) {
        expect(await guess()).toEqual({ state: "refused", attemptsUsed: used, attemptsLeft: pinAttempts - used });
      }
      expect(await guess()).toMatchObject({ state: "locked", now: true });
    }
  });

  test("a guess is counted even if the Worker dies before it is checked [PH-58]", async () => {
    const database = newDatabase();
    const { port } = await testAccounts(database);
    const caller = newCaller();
    const customerId = await newCustomer(port, caller);
    for (let guess = 0; guess < 2; guess += 1) {
      const dying = await testAccounts(diesAfterOneBatch(database));
      expect(await dying.port.login({ caller, customerId, pin: "99999" })).toMatchObject({ ok: false });
    }
    expect(await valueOf(port.login({ caller, customerId, pin: "99999" }))).toMatchObject({
      state: "locked",
      now: true,
    });
  });
});

describe("customer ids [PH-52]", () => {
  test("other random bytes make another id", () => {
    const idOf = (value: number) => createCustomerId(() => new Uint8Array(Uint32Array.of(value).buffer));
    const ids = Array.from({ length: 10_000 }, (_, index) => idOf(index * 429_497));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("one mistyped digit never gives another customer's id", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 4, maxLength: 4 }),
        fc.nat(7),
        fc.integer({ min: 1, max: 15 }),
        (bytes, place, slip) => {
          const other = Uint8Array.from(bytes);
          const byte = other[place >> 1] ?? 0;
          const [high, low] = [byte >> 4, byte & 0xf];
          other[place >> 1] = place % 2 === 0 ? (((high + slip) % 16) << 4) | low : (high << 4) | ((low + slip) % 16);
          const [id, mistyped] = [createCustomerId(() => bytes), createCustomerId(() => other)];
          expect(mistyped.slice(0, -1)).not.toBe(id.slice(0, -1));
          expect(mistyped.at(-1)).not.toBe(id.at(-1));
        },
      ),
      { numRuns },
    );
  });
});

/** The second batch of statements and every later one fails. */
function diesAfterOneBatch(database: Database): Database {
  let batches = 0;
  return {
    prepare: (sql: string) => database.prepare(sql),
    batch: (statements: Statement[]) => {
      batches += 1;
      if (batches > 1) throw new Error("D1 is gone");
      return database.batch(statements);
    },
  } as unknown as Database;
}
