/** Each limit of accounts, set and seen at work (contract/ussd.md section 11). */
import { expect, test } from "vitest";
import { createSqliteDatabase } from "../../../test/support/sqlite-database.ts";
import { granted, newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../../test/support/ussd/accounts.ts";
import type { AccountLimits } from "./settings.ts";

const caller = newCaller();

async function customerUnder(limits: Partial<AccountLimits>) {
  const accounts = await testAccounts(createSqliteDatabase(["0003_ussd.sql", "0008_ussd_login_phones.sql"]), {
    limits,
  });
  const customerId = await newCustomer(accounts.port, caller);
  const login = (pin = PIN) => valueOf(accounts.port.login({ caller, customerId, pin }));
  return { ...accounts, customerId, login };
}

test("wrong PINs until the lock: one is a lock at once, ten are counted to ten", async () => {
  expect(await (await customerUnder({ pinAttempts: 1 })).login("99999")).toMatchObject({ state: "locked", now: true });
  const { login } = await customerUnder({ pinAttempts: 10 });
  for (let used = 1; used < 10; used += 1) {
    expect(await login("99999")).toEqual({ state: "refused", attemptsUsed: used, attemptsLeft: 10 - used });
  }
  expect(await login("99999")).toMatchObject({ state: "locked", now: true });
});

test("the length of the first lock", async () => {
  const { login, clock } = await customerUnder({ lockSeconds: 60 });
  for (let guess = 0; guess < 3; guess += 1) await login("99999");
  clock.now += 59_999;
  expect(await login()).toMatchObject({ state: "locked", minutes: 1 });
  clock.now += 1;
  expect(await login()).toMatchObject({ state: "accepted" });
});

test("how long a temporary PIN is good", async () => {
  for (const [elapsed, state] of [
    [59_999, "accepted"],
    [60_000, "expired"],
  ] as const) {
    const { operators, customerId, login, clock } = await customerUnder({ temporaryPinSeconds: 60 });
    const { temporaryPin } = await valueOf(operators.resetPin(customerId));
    clock.now += elapsed;
    expect(await login(temporaryPin)).toMatchObject({ state });
  }
});

test("accounts of a phone, questions of a customer", async () => {
  const { port, login } = await customerUnder({ accountsPerPhone: 1, questionsPerDay: 1 });
  await expect(newCustomer(port, caller)).rejects.toThrow("too-many");
  const granting = granted(await login());
  expect(await valueOf(port.takeQuestion(granting, "a"))).toBe("taken");
  expect(await valueOf(port.takeQuestion(granting, "b"))).toBe("limit");
});
