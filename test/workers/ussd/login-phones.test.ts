/**
 * Which guesses lock which phones: phones from which a customer logs in have their own attempts; any other phone has
 * its own for each account, all such phones together nine for an account, and one of them six for all accounts.
 */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../../durable-objects/ussd-session/ports.ts";
import { HOUR, MINUTE, newCaller, newCustomer, PIN, testAccounts, valueOf } from "../../support/ussd/accounts.ts";

const used = (attempts: number) => ({ state: "refused", attemptsUsed: attempts, attemptsLeft: 3 - attempts });
const locked = (minutes: number, now: boolean) => ({ state: "locked", minutes, now });
const accepted = { state: "accepted" };

/** A customer with the phone from which their account was created. */
async function setUp() {
  const accounts = await testAccounts(env.DATABASE);
  const owner = newCaller();
  const customerId = await newCustomer(accounts.port, owner);
  const guess = (caller: Caller, pin: string) => valueOf(accounts.port.login({ caller, customerId, pin }));
  /** A call to the gateway, which counts the visit. */
  const dialled = async (caller = newCaller()) => {
    await valueOf(accounts.port.dial({ ...caller, serviceCode: "*2233#", visitKey: crypto.randomUUID() }));
    return caller;
  };
  return { ...accounts, owner, customerId, guess, dialled };
}

test("guesses from one unknown phone lock that phone, and neither the customer's own nor a new one of theirs [PH-60, PH-123]", async () => {
  const { owner, guess, clock } = await setUp();
  const stranger = newCaller();
  for (const wanted of [used(1), used(2), locked(15, true)]) expect(await guess(stranger, "99999")).toEqual(wanted);
  expect(await guess(stranger, PIN)).toEqual(locked(15, false));
  expect(await guess(owner, PIN)).toMatchObject(accepted);
  // A login of the customer gives other phones no new attempts.
  expect(await guess(stranger, "99999")).toEqual(locked(15, false));
  clock.now += 15 * MINUTE;
  for (const wanted of [used(1), used(2), locked(30, true)]) expect(await guess(stranger, "99999")).toEqual(wanted);
  expect(await guess(newCaller(), PIN)).toMatchObject(accepted);
});

test("nine guesses from unknown phones lock all such phones, and never the customer's own [PH-60, PH-123]", async () => {
  const { owner, guess, clock } = await setUp();
  for (let attempt = 0; attempt < 8; attempt += 1) expect(await guess(newCaller(), "99999")).toEqual(used(1));
  expect(await guess(newCaller(), "99999")).toEqual(locked(15, true));
  expect(await guess(newCaller(), PIN)).toEqual(locked(15, false));
  expect(await guess(owner, PIN)).toMatchObject(accepted);
  clock.now += 15 * MINUTE;
  expect(await guess(newCaller(), PIN)).toMatchObject(accepted);
});

describe("one phone and many accounts", () => {
  async function many() {
    const accounts = await testAccounts(env.DATABASE);
    const ids = await Promise.all(Array.from({ length: 12 }, () => newCustomer(accounts.port, newCaller())));
    const caller = newCaller();
    const guess = (customerId: string, pin: string, from = caller) =>
      valueOf(accounts.port.login({ caller: from, customerId, pin }));
    return { ...accounts, ids, caller, guess };
  }

  test("after six wrong guesses the phone is locked for every account to which it is unknown [PH-123]", async () => {
    const { ids, guess, clock, caller, port } = await many();
    const own = await newCustomer(port, caller);
    const outcomes = [];
    for (const id of ids) outcomes.push(await guess(id, "99999"));
    expect(outcomes.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => used(1)));
    expect(outcomes.slice(5)).toEqual([locked(15, true), ...Array.from({ length: 6 }, () => locked(15, false))]);
    // A guess that was not checked is not counted either.
    expect(await guess(ids[11] ?? "", PIN, newCaller())).toMatchObject(accepted);
    expect(await guess(own, PIN)).toMatchObject(accepted);
    clock.now += 15 * MINUTE;
    expect(await guess(ids[11] ?? "", PIN)).toMatchObject(accepted);
  });

  test("unknown ids count likewise [PH-57, PH-123]", async () => {
    const { guess } = await many();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await guess(`C0000000${attempt}${String(Math.random()).slice(2, 9)}`, "99999")).toEqual(used(1));
    }
    expect(await guess("CNOTEXIST99", "99999")).toEqual(locked(15, true));
  });

  test("a login to another account takes back only its own guess [PH-123]", async () => {
    const { ids, guess } = await many();
    for (const id of ids.slice(0, 5)) await guess(id, "99999");
    // The sixth guess sets the lock; since the guess is right, it also lifts the lock.
    expect(await guess(ids[6] ?? "", PIN)).toMatchObject(accepted);
    expect(await guess(ids[7] ?? "", "99999")).toEqual(locked(15, true));
  });
});

test("a phone that an operator adds has its own attempts, whatever other phones do [PH-128]", async () => {
  const { guess, operators, customerId } = await setUp();
  const moved = newCaller();
  for (let attempt = 0; attempt < 9; attempt += 1) await guess(newCaller(), "99999");
  expect(await guess(moved, PIN)).toEqual(locked(15, false));
  expect(await operators.unlock(customerId, moved.phoneNumber)).toMatchObject({ ok: true });
  for (let attempt = 0; attempt < 9; attempt += 1) await guess(newCaller(), "99999");
  expect(await guess(newCaller(), PIN)).toEqual(locked(15, false));
  expect(await guess(moved, PIN)).toMatchObject(accepted);
  expect(await operators.unlock("CNOTEXIST99", moved.phoneNumber)).toMatchObject({ ok: false });
});

test("the customer's own phone has three attempts and its own lock, which does not affect others [PH-60]", async () => {
  const { owner, guess, clock } = await setUp();
  for (const wanted of [used(1), used(2), locked(15, true)]) expect(await guess(owner, "99999")).toEqual(wanted);
  expect(await guess(owner, PIN)).toEqual(locked(15, false));
  expect(await guess(newCaller(), "99999")).toEqual(used(1));
  clock.now += 15 * MINUTE - 1;
  expect(await guess(owner, PIN)).toEqual(locked(1, false));
  clock.now += 1;
  expect(await guess(owner, PIN)).toMatchObject(accepted);
});

describe("all guesses together are limited", () => {
  test("a day of guessing with a new phone each time: 63 are checked, whatever the customer does meanwhile [PH-61]", async () => {
    const { owner, guess, clock } = await setUp();
    const end = clock.now + 24 * HOUR;
    let checked = 0;
    const entered: string[] = [];
    while (clock.now < end) {
      const outcome = await guess(newCaller(), "99999");
      if (outcome.state === "refused" || (outcome.state === "locked" && outcome.now)) checked += 1;
      if (outcome.state !== "locked") continue;
      entered.push((await guess(owner, PIN)).state);
      clock.now += outcome.minutes * MINUTE;
    }
    expect(entered).toEqual(Array.from({ length: 7 }, () => "accepted"));
    // Locks of 15, 30, 60, 120, 240, 480 and 960 minutes; nine guesses before each.
    expect(checked).toBe(63);
  });

  test("twenty concurrent guesses from other phones and twenty from the own phone: nine and three are checked [PH-58, PH-60]", async () => {
    const { owner, guess } = await setUp();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => [
        guess(newCaller(), String(50_000 + index)),
        guess(owner, String(60_000 + index)),
      ]).flat(),
    );
    const outcomesAsText = outcomes.map((outcome) => JSON.stringify(outcome)).toSorted();
    const lockedTimes = (count: number) => Array.from({ length: count }, () => locked(15, false));
    const ofOwn = [used(1), used(2), locked(15, true), ...lockedTimes(17)];
    const ofOthers = [...Array.from({ length: 8 }, () => used(1)), locked(15, true), ...lockedTimes(11)];
    expect(outcomesAsText).toEqual([...ofOwn, ...ofOthers].map((outcome) => JSON.stringify(outcome)).toSorted());
  });

  test("the first phone and the three that logged in last have their own attempts: at most 21 guesses at once in all [PH-60]", async () => {
    const { owner, guess, dialled, clock } = await setUp();
    const phones: Caller[] = [];
    for (let phone = 0; phone < 4; phone += 1) {
      const caller = await dialled();
      clock.now += 1;
      expect(await guess(caller, PIN)).toMatchObject(accepted);
      phones.push(caller);
    }
    const [oldest, ...latest] = phones;
    if (oldest === undefined) throw new Error("no phones");
    const known = [owner, ...latest];
    const strangers = [oldest, newCaller(), newCaller(), newCaller()];
    const guesses = [...known, ...strangers].flatMap((caller) =>
      Array.from({ length: 5 }, () => guess(caller, "99999")),
    );
    const outcomes = await Promise.all(guesses);
    const checked = outcomes.filter(
      (outcome) => outcome.state === "refused" || (outcome.state === "locked" && outcome.now),
    );
    expect(checked).toHaveLength(3 * known.length + 9);
    expect(checked).toHaveLength(21);
  });
});

test("a phone that has entered the right PIN has its own attempts: others no longer lock it [PH-60]", async () => {
  const { guess, dialled } = await setUp();
  const moved = await dialled();
  expect(await guess(moved, PIN)).toMatchObject(accepted);
  for (let attempt = 0; attempt < 9; attempt += 1) await guess(newCaller(), "99999");
  expect(await guess(moved, PIN)).toMatchObject(accepted);
  expect(await guess(newCaller(), PIN)).toEqual(locked(15, false));
});

test("an operator's unlock and reset clear the lock of the customer's phone too [PH-101]", async () => {
  const { owner, guess, operators, customerId } = await setUp();
  for (let attempt = 0; attempt < 3; attempt += 1) await guess(owner, "99999");
  expect(await operators.unlock(customerId)).toMatchObject({ ok: true });
  expect(await guess(owner, "99999")).toEqual(used(1));
  for (let attempt = 0; attempt < 2; attempt += 1) await guess(owner, "99999");
  const reset = await valueOf(operators.resetPin(customerId));
  expect(await guess(owner, reset.temporaryPin)).toMatchObject({ ...accepted, mustChangePin: true });
});

test("a wrong current PIN on a change counts like a wrong login from the phone [PH-62]", async () => {
  const { port, owner, guess, customerId } = await setUp();
  const change = () => valueOf(port.login({ caller: owner, customerId, pin: "99999", purpose: "change-pin" }));
  expect(await change()).toEqual(used(1));
  expect(await guess(owner, "99999")).toEqual(used(2));
  expect(await guess(newCaller(), "99999")).toEqual(used(1));
  expect(await change()).toEqual(locked(15, true));
});
