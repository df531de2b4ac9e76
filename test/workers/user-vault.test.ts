/** UserVault inside workerd: index, delegation, throttle and counter, and what of them an eviction leaves. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Delegation, SessionRecord } from "../../durable-objects/chat-session/rpc.ts";

const START = Date.UTC(2026, 10, 1);
const NOW_SECONDS = START / 1000;
const RATE = 120;

// Objects run in the isolate of their tests, so that they see the same stopped clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function vault() {
  return env.USER_VAULT.getByName(`did:key:${crypto.randomUUID()}`);
}

function tablesOf(stub: ReturnType<typeof vault>): Promise<number> {
  return runInDurableObject(stub, (_object, state) => {
    return state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray()
      .length;
  });
}

function delegationRows(stub: ReturnType<typeof vault>): Promise<number> {
  return runInDurableObject(
    stub,
    (_object, state) => state.storage.sql.exec("SELECT 1 FROM delegation").toArray().length,
  );
}

function record(sessionId: string, updatedSecond: number): SessionRecord {
  return {
    sessionId,
    title: "Untitled",
    createdAt: new Date(START).toISOString(),
    lastUpdatedAt: new Date(START + updatedSecond * 1000).toISOString(),
    oracleName: "Oracle",
    oracleDid: "did:ixo:oracle",
    oracleEntityDid: "did:ixo:entity:oracle",
  };
}

function delegation(change: Partial<Delegation> = {}): Delegation {
  return {
    token: "b64",
    expiration: NOW_SECONDS + 60,
    capabilities: [{ can: "memory/*", with: "ixo:memory" }],
    ...change,
  };
}

async function listed(stub: ReturnType<typeof vault>, limit = 20, offset = 0) {
  const { value } = await stub.listSessions(RATE, { limit, offset });
  return { ids: value?.sessions.map(({ sessionId }) => sessionId), total: value?.total };
}

test("an untouched vault answers empty and writes nothing", async () => {
  const stub = vault();
  expect((await stub.listSessions(RATE, { limit: 20, offset: 0 })).value).toEqual({ sessions: [], total: 0 });
  expect((await stub.delegationStatus(RATE)).value).toBeNull();
  expect(await stub.readDelegation()).toBeNull();
  expect((await stub.revokeDelegation(RATE)).value).toBeNull();
  await stub.touchSession("unknown", { title: "x" });
  await stub.removeSession("unknown");
  expect(await stub.claimReauthorisationPrompt(0)).toBe(true);
  await stub.admit(RATE);
  expect(await tablesOf(stub)).toBe(0);
  await stub.putSession(record("a", 1));
  expect(await tablesOf(stub)).toBeGreaterThan(0);
});

describe("the session index", () => {
  test("answers newest first, ties by id, in pages with the whole total", async () => {
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

  test("keeps a record whole, with or without a room, and replaces it", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.putSession({ ...record("a", 2), roomId: "!room:host" });
    await stub.putSession(record("b", 1));
    const { value } = await stub.listSessions(RATE, { limit: 20, offset: 0 });
    expect(value).toEqual({ sessions: [{ ...record("a", 2), roomId: "!room:host" }, record("b", 1)], total: 2 });
  });

  test("a touch changes only what it names and lists nothing new", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.putSession(record("b", 2));
    await stub.touchSession("a", { lastUpdatedAt: record("a", 3).lastUpdatedAt });
    await stub.touchSession("a", { title: "Soil carbon" });
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

  test("is none from the second of its expiry on, and is then erased", async () => {
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

  test("is gone once revoked", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    await stub.revokeDelegation(RATE);
    expect(await stub.readDelegation()).toBeNull();
  });
});

test("the prompt to re-authorise comes every time without a throttle, and once per throttle with one", async () => {
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

describe("the rate counter", () => {
  test("counts every call that is given a limit, together", async () => {
    const stub = vault();
    expect(await stub.admit(5)).toEqual({ admitted: true, limit: 5, remaining: 4, retryAfter: 0 });
    expect((await stub.listSessions(5, { limit: 1, offset: 0 })).admission.remaining).toBe(3);
    expect((await stub.delegationStatus(5)).admission.remaining).toBe(2);
    expect((await stub.revokeDelegation(5)).admission.remaining).toBe(1);
    expect(await stub.admit(5)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await stub.admit(5)).toEqual({ admitted: false, limit: 5, remaining: 0, retryAfter: 60 });
    vi.setSystemTime(START + 60_000);
    expect(await stub.admit(5)).toMatchObject({ admitted: true, remaining: 4 });
  });

  test("a refused call does no work", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    await stub.putSession(record("a", 1));
    await stub.admit(2);
    await stub.admit(2);
    const refused = { admission: { admitted: false, limit: 2, remaining: 0, retryAfter: 60 } };
    expect(await stub.revokeDelegation(2)).toEqual(refused);
    expect(await stub.delegationStatus(2)).toEqual(refused);
    expect(await stub.listSessions(2, { limit: 1, offset: 0 })).toEqual(refused);
    expect(await stub.readDelegation()).toMatchObject({ token: "b64" });
  });
});

test("an eviction loses nothing but the rate counter", async () => {
  const stub = vault();
  await stub.putSession(record("a", 1));
  await stub.storeDelegation(delegation());
  await stub.claimReauthorisationPrompt(100);
  const before = await stub.listSessions(RATE, { limit: 20, offset: 0 });
  expect(before.admission.remaining).toBe(RATE - 1);
  await evictDurableObject(stub);
  const after = await stub.listSessions(RATE, { limit: 20, offset: 0 });
  expect(after.value).toEqual(before.value);
  expect(after.admission.remaining).toBe(RATE - 1);
  expect(await stub.readDelegation()).toEqual({ ...delegation(), storedAt: NOW_SECONDS });
  expect(await stub.claimReauthorisationPrompt(100)).toBe(false);
  await stub.putSession(record("b", 2));
  expect(await listed(stub)).toEqual({ ids: ["b", "a"], total: 2 });
});
