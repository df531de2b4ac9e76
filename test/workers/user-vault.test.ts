/** UserVault inside workerd: index, delegation and throttle, and which of them survive an eviction. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  START,
  NOW_SECONDS,
  RATE,
  vault,
  tablesOf,
  record,
  delegation,
  journalled,
} from "../support/oracle/user-vaults.ts";

// Objects run in the isolate of their tests, so they see the stopped clock too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

function delegationRows(stub: ReturnType<typeof vault>): Promise<number> {
  return runInDurableObject(
    stub,
    (_object, state) => state.storage.sql.exec("SELECT 1 FROM delegation").toArray().length,
  );
}

async function listed(stub: ReturnType<typeof vault>, limit = 20, offset = 0) {
  const { value } = await stub.listSessions(RATE, { limit, offset });
  return { ids: value?.sessions.map(({ sessionId }) => sessionId), total: value?.total };
}

test("an unused vault returns empty results and writes nothing [OR-149]", async () => {
  const stub = vault();
  expect(await stub.readDelegation()).toBeNull();
  await stub.touchSession("unknown", { title: "x", spent: [{ runKey: "unknown", tokens: 1 }] });
  await stub.releaseRun("unknown");
  await stub.removeSession("unknown");
  expect(await stub.claimReauthorisationPrompt(0)).toBe(true);
  expect([await stub.isDelegationRevoked("c"), (await stub.revokeDelegation(RATE)).value]).toEqual([false, []]);
  expect(await tablesOf(stub)).toBe(0);
  await stub.putSession(record("a", 1));
  expect(await tablesOf(stub)).toBe(24);
});

describe("the session index", () => {
  test("lists newest first, ties by id, in pages with the total", async () => {
    const stub = vault();
    for (const [id, second] of [
      ["b", 5],
      ["c", 9],
      ["a", 5],
      ["d", 1],
    ] as const)
      await stub.putSession(record(id, second));
    expect(await listed(stub)).toEqual({ ids: ["c", "a", "b", "d"], total: 4 });
    expect(await listed(stub, 2, 1)).toEqual({ ids: ["a", "b"], total: 4 });
    expect(await listed(stub, 2, 4)).toEqual({ ids: [], total: 4 });
    for (const [limit, offset] of [
      [4, 0],
      [3, 0],
      [2, 2],
      [3, 2],
      [1, 5],
    ] as const) {
      expect((await listed(stub, limit, offset)).total).toBe(4);
    }
  });

  test("stores a whole record, with or without a room, and replaces it", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.putSession({ ...record("a", 2), roomId: "!room:host" });
    await stub.putSession(record("b", 1));
    const { value } = await stub.listSessions(RATE, { limit: 20, offset: 0 });
    expect(value).toEqual({ sessions: [{ ...record("a", 2), roomId: "!room:host" }, record("b", 1)], total: 2 });
  });

  test("a touch changes only the given members, never turns the time back, and lists nothing new", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.putSession(record("b", 2));
    await stub.touchSession("a", { lastUpdatedAt: record("a", 3).lastUpdatedAt });
    await stub.touchSession("a", { title: "Soil carbon", lastUpdatedAt: record("a", 2).lastUpdatedAt });
    await stub.touchSession("c", { title: "Never made" });
    const { value } = await stub.listSessions(RATE, { limit: 20, offset: 0 });
    expect(value?.sessions).toEqual([{ ...record("a", 3), title: "Soil carbon" }, record("b", 2)]);
  });

  test("forgets a removed session", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.putSession(record("b", 2));
    await stub.removeSession("b");
    expect(await listed(stub)).toEqual({ ids: ["a"], total: 1 });
  });
});

describe("the delegation", () => {
  test("is stored once; a new one replaces it", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    await stub.storeDelegation(delegation({ token: "newer", expiration: null }));
    expect(await stub.readDelegation()).toEqual({
      ...delegation({ token: "newer", expiration: null }),
      storedAt: NOW_SECONDS,
    });
    expect(await delegationRows(stub)).toBe(1);
  });

  test("expires at the exact second, and is then erased [OR-32]", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    vi.setSystemTime(START + 59_999);
    expect((await stub.delegationStatus(RATE)).value).toMatchObject({ token: "b64" });
    vi.setSystemTime(START + 60_000);
    expect((await stub.delegationStatus(RATE)).value).toBeNull();
    expect(await delegationRows(stub)).toBe(0);
  });

  test("without an expiry it stays", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation({ expiration: null }));
    vi.setSystemTime(START + 10 * 365 * 86_400_000);
    expect(await stub.readDelegation()).toMatchObject({ expiration: null });
  });

  test("is erased once revoked", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    await stub.revokeDelegation(RATE);
    expect(await stub.readDelegation()).toBeNull();
  });
});

test("the prompt to re-authorise is shown every time without a throttle, and once per throttle with one [OR-37]", async () => {
  const stub = vault();
  expect([await stub.claimReauthorisationPrompt(0), await stub.claimReauthorisationPrompt(0)]).toEqual([true, true]);
  const claims = await Promise.all(Array.from({ length: 3 }, () => stub.claimReauthorisationPrompt(100)));
  expect(claims).toEqual([true, false, false]);
  vi.setSystemTime(START + 99_999);
  expect(await stub.claimReauthorisationPrompt(100)).toBe(false);
  vi.setSystemTime(START + 100_000);
  expect(await stub.claimReauthorisationPrompt(100)).toBe(true);
  expect(await stub.claimReauthorisationPrompt(100)).toBe(false);
});

describe("how many sessions are listed [OR-139]", () => {
  test("up to the limit and no more; a known one is replaced, a deletion makes room; two concurrent ones", async () => {
    const stub = vault();
    expect(await stub.putSession(record("a", 1), 2)).toBe(true);
    const both = await Promise.all([stub.putSession(record("b", 1), 2), stub.putSession(record("c", 1), 2)]);
    expect(new Set(both)).toEqual(new Set([false, true]));
    expect(await stub.putSession(record("a", 5), 2)).toBe(true);
    expect((await listed(stub)).total).toBe(2);
    await stub.removeSession("a");
    expect(await stub.putSession(record("d", 1), 2)).toBe(true);
    expect(await stub.putSession(record("e", 1), 0)).toBe(true);
  });
});

test("an eviction loses nothing [OR-148]", async () => {
  const stub = vault();
  await stub.putSession(record("a", 1));
  await stub.storeDelegation(delegation());
  await stub.claimReauthorisationPrompt(100);
  const before = await stub.listSessions(RATE, { limit: 20, offset: 0 });
  expect(before.admission.remaining).toBe(RATE - 1);
  await journalled(stub);
  await evictDurableObject(stub);
  const after = await stub.listSessions(RATE, { limit: 20, offset: 0 });
  expect(after.value).toEqual(before.value);
  expect(after.admission.remaining).toBe(RATE - 2);
  expect(await stub.readDelegation()).toEqual({ ...delegation(), storedAt: NOW_SECONDS });
  expect(await stub.claimReauthorisationPrompt(100)).toBe(false);
  await stub.putSession(record("b", 2));
  expect(await listed(stub)).toEqual({ ids: ["b", "a"], total: 2 });
});
