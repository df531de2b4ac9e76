/** Changes of rows over time, over a real database: unused numbers, key rotation, expired rows. */
import { describe, expect, test } from "vitest";
import type { Database } from "../../../platform/database/database.ts";
import { costlySteps } from "../../../test/support/storage/statement-scans.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import {
  countRows,
  HOUR,
  newCaller,
  newCustomer,
  PIN,
  testAccounts,
  valueOf,
} from "../../../test/support/ussd/accounts.ts";
import { PURGED_ROWS } from "./accounts.ts";

const DAY = 24 * HOUR;
const newDatabase = () =>
  testDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql", "0013_ussd_gateways.sql", "0023_ussd_retention.sql"]);
const used = (attempts: number) => ({ state: "refused", attemptsUsed: attempts, attemptsLeft: 3 - attempts });

async function setUp() {
  const database = newDatabase();
  const accounts = await testAccounts(database);
  const { port } = accounts;
  const caller = newCaller();
  const dial = (from = caller) => valueOf(port.dial({ ...from, serviceCode: "*2233#", visitKey: crypto.randomUUID() }));
  await dial();
  const customerId = await newCustomer(port, caller);
  const login = async (from = caller, pin = PIN) => valueOf(port.login({ caller: from, customerId, pin }));
  const recover = (from = caller, pin = PIN) => valueOf(port.login({ caller: from, purpose: "recover-id", pin }));
  return { ...accounts, database, caller, customerId, dial, login, recover };
}

describe("a forgotten id", () => {
  test("is shown to the number of its account after the PIN, and logs no customer in [PH-122]", async () => {
    const { recover, customerId, database } = await setUp();
    expect(await recover()).toEqual({ state: "found", customerId });
    expect(await countRows(database, "customers WHERE last_login_at IS NOT NULL")).toBe(0);
    expect(await countRows(database, "audit_log WHERE event = 'ID_RECOVERED'")).toBe(1);
  });

  test("has the attempts of the phone for that account [PH-58, PH-122]", async () => {
    const { recover, login } = await setUp();
    expect(await recover(undefined, "99999")).toEqual(used(1));
    expect(await login(undefined, "99999")).toEqual(used(2));
    expect(await recover(undefined, "99998")).toMatchObject({ state: "locked", now: true });
    expect(await recover()).toMatchObject({ state: "locked", now: false });
  });

  test("is not shown to a number without an account or with two; the messages are those for a wrong PIN [PH-122]", async () => {
    const { recover, port, caller } = await setUp();
    const stranger = newCaller();
    await newCustomer(port, caller, "Jane Roe");
    for (const attempt of [1, 2]) {
      expect(await recover(stranger)).toEqual(used(attempt));
      expect(await recover()).toEqual(used(attempt));
    }
    expect(await recover(stranger)).toMatchObject({ state: "locked", minutes: 15, now: true });
    expect(await recover()).toMatchObject({ state: "locked", minutes: 15, now: true });
  });
});

describe("a number that was not used for 180 days [PH-127]", () => {
  test("does not pass on its language, quota, attempts and notices to its next caller", async () => {
    const { dial, login, port, clock, customerId, caller, database, recover } = await setUp();
    const outcome = await login();
    if (outcome.state !== "accepted") throw new Error(outcome.state);
    await valueOf(port.setLanguage(caller, outcome.login, "sw"));
    expect(await dial()).toMatchObject({ language: "sw", accountsLeft: 4 });
    clock.now += 180 * DAY - 1;
    expect(await dial()).toMatchObject({ language: "sw", accountsLeft: 4 });
    clock.now += 180 * DAY;
    expect(await dial()).toMatchObject({ language: null, accountsLeft: 5 });
    expect(await recover()).toEqual(used(1));
    expect(await countRows(database, "customer_phones")).toBe(0);
    expect(await countRows(database, "login_phones")).toBe(0);
    // The customer's next login, from any phone, adds one.
    const moved = newCaller();
    await dial(moved);
    expect(await login(moved)).toMatchObject({ state: "accepted" });
    expect(await recover(moved)).toEqual({ state: "found", customerId });
  });
});

describe("an operator and the phone of an account [PH-128]", () => {
  test("a reassigned number is removed, and another one linked", async () => {
    const { operators, customerId, dial, recover, caller, login, database } = await setUp();
    expect(await operators.linkPhone(customerId.toLowerCase(), null)).toEqual({
      ok: true,
      value: { customerId, linked: false },
    });
    expect(await dial()).toMatchObject({ accountsLeft: 5 });
    expect(await recover()).toEqual(used(1));
    const moved = newCaller();
    expect(await operators.linkPhone(customerId, moved.phoneNumber)).toMatchObject({ value: { linked: true } });
    expect(await recover(moved)).toEqual({ state: "found", customerId });
    for (let guess = 0; guess < 9; guess += 1) await login(newCaller(), "99999");
    expect(await login(caller)).toMatchObject({ state: "locked" });
    expect(await login(moved)).toMatchObject({ state: "accepted" });
    expect(await countRows(database, "audit_log WHERE event = 'PHONE_LINKED'")).toBe(2);
    expect(await operators.linkPhone("CNOTEXIST99", null)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

test("a change of the key keeps unfinished calls, counts and locks while the earlier key exists [PH-130]", async () => {
  const { database, caller, customerId, login, port, clock } = await setUp();
  const stranger = newCaller();
  for (const pin of ["99999", "99998"]) await login(stranger, pin);
  const until = clock.now + HOUR;
  const entry = { state: "accountCreation", authenticated: false, revision: 1, startedAt: clock.now, endedAt: null };
  const times = { lastActivity: clock.now, expiresAt: until, resumeUntil: until };
  await valueOf(port.saveSession({ ...caller, ...entry, ...times, serviceCode: "*2233#" }));

  const keys = { currentId: "k2", current: "cd".repeat(32), old: { k1: "ab".repeat(32) } };
  const rotated = await testAccounts(database, { clock, keys });
  const next = { ...caller, sessionId: "next", serviceCode: "*2233#", visitKey: "v" };
  expect(await valueOf(rotated.port.dial(next))).toMatchObject({ resumable: caller.sessionId });
  const guess = { caller: stranger, customerId, pin: "99997" };
  expect(await valueOf(rotated.port.login(guess))).toMatchObject({ state: "locked", now: true });
  const later = await testAccounts(database, { clock, keys: { ...keys, old: {} } });
  expect(await valueOf(later.port.login({ ...guess, pin: PIN }))).toMatchObject({ state: "locked", now: false });
});

/** Rows with the time `at` in each table whose rows expire. */
async function fill(database: Database, rows: number, at: string): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  for (const insert of [
    `INSERT INTO login_guard SELECT 'key' || i, 1, NULL, 0, ${at} FROM n`,
    `INSERT INTO ussd_sessions (session_id, phone_key, service_code, state, authenticated, revision, started_at,
       last_activity, expires_at) SELECT 's' || i, 'p', '*2233#', 'preMenu', 0, 1, ${at}, ${at}, ${at} FROM n`,
    `INSERT INTO ussd_questions SELECT 'job' || i, 'C1', ${at} FROM n`,
    `INSERT INTO ussd_gateways SELECT 'gateway' || i, 'latest', ${at} FROM n`,
    `INSERT INTO phones (phone_e164, first_seen, last_seen, visits) SELECT '+${at}' || i, ${at}, ${at}, 1 FROM n`,
    `INSERT INTO audit_log (at, event, phone_key, detail) SELECT ${at}, 'LOGIN_FAILED', 'p', '{}' FROM n`,
  ]) {
    await database.prepare(insert.replace(" SELECT ", ` ${numbers} SELECT `)).run();
  }
}

describe("expired rows [PH-129]", () => {
  test("are found by an index, and a run deletes a limited number from each table", async () => {
    const { database, purge, clock } = await setUp();
    await fill(database, PURGED_ROWS + 1, "0");
    // One live row of each kind must remain.
    await database
      .prepare("INSERT INTO login_guard VALUES ('live', 1, NULL, 0, ?), ('locked', 0, ?, 1, 0)")
      .bind(clock.now, clock.now)
      .run();
    const tables = [
      "login_guard WHERE updated_at = 0 AND locked_until IS NULL",
      "ussd_sessions",
      "ussd_questions",
      "ussd_gateways",
      "audit_log WHERE at = 0",
    ];
    const counts = () => Promise.all(tables.map((table) => countRows(database, table)));
    await valueOf(purge());
    expect(await counts()).toEqual([1, 1, 1, 1, 1]);
    await valueOf(purge());
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
    expect(await countRows(database, "login_guard")).toBe(2);
  });

  test("no statement of a run scans a table", async () => {
    const { database, clock } = await setUp();
    const statements: string[] = [];
    const watched = new Proxy(database, {
      get(target, name) {
        if (name === "prepare") {
          return (sql: string) => {
            statements.push(sql);
            return target.prepare(sql);
          };
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const retention = { records: DAY, phones: DAY };
    await valueOf((await testAccounts(watched, { clock, retention })).purge());
    expect(statements).toHaveLength(9);
    // Rows that have not expired: PostgreSQL reads a small table as a whole.
    await fill(database, 5_000, String(clock.now));
    for (const text of statements) {
      const values = text.includes("?2") ? [0, 1] : [0];
      expect(await costlySteps(database, { text, values }), text).toEqual([]);
    }
  });
});

describe("retention [PH-156]", () => {
  const retention = { records: 30 * DAY, phones: 200 * DAY };

  test("removes old records and numbers, keeps the accounts, and nothing without a setting", async () => {
    const { database, clock, customerId, caller, login } = await setUp();
    await login();
    const records = () => countRows(database, "audit_log");
    const phones = () => countRows(database, "phones");
    const before = await records();
    const other = await testAccounts(database, { clock, retention });
    await valueOf(other.purge());
    expect([await records(), await phones()]).toEqual([before, 1]);
    clock.now += 31 * DAY;
    const forever = await testAccounts(database, { clock });
    await valueOf(forever.purge());
    expect([await records(), await phones()]).toEqual([before, 1]);
    await valueOf(other.purge());
    expect([await records(), await phones()]).toEqual([0, 1]);
    clock.now += 170 * DAY;
    await valueOf(other.purge());
    expect([await phones(), await countRows(database, "login_phones")]).toEqual([0, 0]);
    // The account gets a number again when its customer calls and logs in.
    await valueOf(other.port.dial({ ...caller, serviceCode: "*2233#", visitKey: crypto.randomUUID() }));
    expect(await valueOf(other.port.login({ caller, customerId, pin: PIN }))).toMatchObject({ state: "accepted" });
    expect(await countRows(database, "customer_phones")).toBe(1);
  });

  test("removes a limited number of rows in one run", async () => {
    const { database, clock } = await setUp();
    await fill(database, PURGED_ROWS + 5, "1");
    const accounts = await testAccounts(database, { clock, retention });
    await database.prepare("UPDATE audit_log SET customer_id = 'C1' WHERE at = 1").run();
    await valueOf(accounts.purge());
    expect([
      await countRows(database, "audit_log WHERE at = 1"),
      await countRows(database, "phones WHERE last_seen = 1"),
    ]).toEqual([5, 5]);
    await valueOf(accounts.purge());
    expect([
      await countRows(database, "audit_log WHERE at = 1"),
      await countRows(database, "phones WHERE last_seen = 1"),
    ]).toEqual([0, 0]);
  });
});
