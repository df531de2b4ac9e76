/** UserVault inside workerd: index, delegation, throttle and counter, and what an eviction leaves of them. */
import type { Delegation } from "../../oracle/framework/delegation.ts";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SessionRecord } from "../../protocol/records.ts";

/** So far ahead that no alarm runs on its own: the runtime uses its own clock. */
const START = Date.UTC(2100, 0, 1);
const NOW_SECONDS = START / 1000;
const RATE = 120;

// Objects run in the isolate of their tests, so they see the stopped clock too.
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

describe("the rate counter [OR-138]", () => {
  test("counts every call that is given a limit, together", async () => {
    const stub = vault();
    expect(await stub.countRequest(5)).toEqual({ admitted: true, limit: 5, remaining: 4, retryAfter: 0 });
    expect((await stub.listSessions(5, { limit: 1, offset: 0 })).admission.remaining).toBe(3);
    expect((await stub.delegationStatus(5)).admission.remaining).toBe(2);
    expect((await stub.revokeDelegation(5)).admission.remaining).toBe(1);
    expect(await stub.countRequest(5)).toMatchObject({ admitted: true, remaining: 0 });
    expect(await stub.countRequest(5)).toEqual({ admitted: false, limit: 5, remaining: 0, retryAfter: 60 });
    vi.setSystemTime(START + 60_000);
    expect(await stub.countRequest(5)).toMatchObject({ admitted: true, remaining: 4 });
  });

  test("a refused call does no work", async () => {
    const stub = vault();
    await stub.storeDelegation(delegation());
    await stub.putSession(record("a", 1));
    await stub.countRequest(2);
    await stub.countRequest(2);
    const refused = { admission: { admitted: false, limit: 2, remaining: 0, retryAfter: 60 } };
    expect(await stub.revokeDelegation(2)).toEqual(refused);
    expect(await stub.delegationStatus(2)).toEqual(refused);
    expect(await stub.listSessions(2, { limit: 1, offset: 0 })).toEqual(refused);
    expect(await stub.readDelegation()).toMatchObject({ token: "b64" });
  });
});

/** Concurrent requests are written together, a moment later, or when the alarm runs first. */
async function journalled(stub: ReturnType<typeof vault>): Promise<void> {
  await runInDurableObject(stub, (object) => object.alarm());
}

describe("the stored rate counter", () => {
  test("an object that lost its memory while idle still counts the requests of the last minute, to the second", async () => {
    const stub = vault();
    for (let request = 0; request < 4; request += 1) await stub.countRequest(5);
    await journalled(stub);
    vi.setSystemTime(START + 12_000);
    await evictDurableObject(stub);
    expect(await stub.countRequest(5)).toMatchObject({ admitted: true, remaining: 0 });
    await journalled(stub);
    await evictDurableObject(stub);
    expect(await stub.countRequest(5)).toEqual({ admitted: false, limit: 5, remaining: 0, retryAfter: 48 });
    vi.setSystemTime(START + 59_999);
    expect((await stub.countRequest(5)).admitted).toBe(false);
    vi.setSystemTime(START + 60_000);
    await evictDurableObject(stub);
    expect(await stub.countRequest(5)).toMatchObject({ admitted: true, remaining: 3 });
  });

  test("the default of 120 holds across an eviction: the 121st is refused", async () => {
    const stub = vault();
    for (let request = 0; request < 120; request += 1) expect((await stub.countRequest(120)).admitted).toBe(true);
    await journalled(stub);
    await evictDurableObject(stub);
    expect((await stub.countRequest(120)).admitted).toBe(false);
  });

  test("120 concurrent requests cost a row or two, not 120", async () => {
    const stub = vault();
    await Promise.all(Array.from({ length: 120 }, () => stub.countRequest(120)));
    await journalled(stub);
    const rows = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec<{ count: number }>("SELECT count FROM requests").toArray(),
    );
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(120);
  });

  test("a vault that contains only counts erases itself when they no longer matter; any other stays [OR-149]", async () => {
    const [asked, used] = [vault(), vault()];
    await used.putSession(record("a", 1));
    for (const stub of [asked, used]) {
      await stub.countRequest(RATE);
      await journalled(stub);
      expect(await tablesOf(stub)).toBe(24);
    }
    vi.setSystemTime(START + 59_000);
    expect(await runDurableObjectAlarm(asked)).toBe(true);
    expect(await tablesOf(asked)).toBe(24);
    vi.setSystemTime(START + 60_000);
    expect(await runDurableObjectAlarm(asked)).toBe(true);
    expect(await tablesOf(asked)).toBe(0);
    expect(await runDurableObjectAlarm(used)).toBe(false);
    expect((await asked.countRequest(RATE)).remaining).toBe(RATE - 1);
  });
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

describe("turns and tokens of a day [OR-140, OR-141]", () => {
  const TURNS = { turns: 3, tokens: 0 };
  const TOKENS = { turns: 0, tokens: 1_000 };
  const untilMidnight = 86_400;
  const turnsOf = (stub: ReturnType<typeof vault>) =>
    runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec("SELECT id, day, tokens, reserved FROM turns").toArray(),
    );

  test("turns are written a moment later, at the latest when one has ended, once per turn", async () => {
    const stub = vault();
    await stub.putSession(record("a", 1));
    await stub.reserveRun("1", TURNS);
    await stub.reserveRun("2", TURNS);
    expect(await turnsOf(stub)).toEqual([]);
    await stub.releaseRun("2");
    await stub.touchSession("a", { spent: [{ runKey: "1", tokens: 7 }] });
    const written = [{ id: "1", day: START / 86_400_000, tokens: 7, reserved: null }];
    expect(await turnsOf(stub)).toEqual(written);
    await stub.reserveRun("1", TURNS);
    await journalled(stub);
    expect(await turnsOf(stub)).toEqual(written);
  });

  test("turns: exactly up to the limit, even concurrently and across an eviction; midnight (UTC) starts again", async () => {
    const stub = vault();
    expect(await stub.reserveRun("1", TURNS)).toEqual({ reserved: true });
    expect(await stub.reserveRun("1", TURNS)).toEqual({ reserved: true });
    expect(await stub.reserveRun("2", TURNS)).toEqual({ reserved: true });
    await evictDurableObject(stub);
    const both = await Promise.all([stub.reserveRun("3", TURNS), stub.reserveRun("4", TURNS)]);
    const refused = { reserved: false, exhausted: "turns", limit: 3, retryAfter: untilMidnight };
    expect(both).toEqual([{ reserved: true }, refused]);
    vi.setSystemTime(START + 86_400_000 - 1);
    expect(await stub.reserveRun("5", TURNS)).toEqual({ ...refused, retryAfter: 1 });
    vi.setSystemTime(START + 86_400_000);
    expect(await stub.reserveRun("5", TURNS)).toEqual({ reserved: true });
  });

  test("a turn that did not start is released, once", async () => {
    const stub = vault();
    for (const id of ["1", "2", "3"]) await stub.reserveRun(id, TURNS);
    await stub.releaseRun("2");
    await stub.releaseRun("2");
    expect(await stub.reserveRun("4", TURNS)).toEqual({ reserved: true });
    expect(await stub.reserveRun("5", TURNS)).toMatchObject({ reserved: false });
  });

  test("tokens: counted when a turn has ended, once however often it is reported; at the limit none starts", async () => {
    const stub = vault();
    await stub.reserveRun("1", TOKENS);
    await stub.touchSession("unlisted", { spent: [{ runKey: "1", tokens: 999 }] });
    await stub.recordUsage([{ runKey: "1", tokens: 999 }]);
    expect(await stub.reserveRun("2", TOKENS)).toMatchObject({ reserved: true, grant: { tokens: 1 } });
    await stub.recordUsage([
      { runKey: "2", tokens: 1 },
      { runKey: "never counted", tokens: 7 },
    ]);
    await evictDurableObject(stub);
    expect(await stub.reserveRun("3", TOKENS)).toEqual({
      reserved: false,
      exhausted: "tokens",
      limit: 1_000,
      retryAfter: untilMidnight,
    });
  });

  test("0 means no limit", async () => {
    const stub = vault();
    await stub.reserveRun("1", { turns: 0, tokens: 0 });
    await stub.recordUsage([{ runKey: "1", tokens: 1e9 }]);
    expect(await stub.reserveRun("2", { turns: 0, tokens: 0 })).toEqual({ reserved: true });
  });

  test("a request over the limit per minute reserves nothing", async () => {
    const stub = vault();
    expect(await stub.countRun(1, "1", TOKENS)).toMatchObject({
      admission: { admitted: true },
      value: { reserved: true },
    });
    expect(await stub.countRun(1, "2", TOKENS)).toEqual({
      admission: { admitted: false, limit: 1, remaining: 0, retryAfter: 60 },
    });
    await journalled(stub);
    expect(await turnsOf(stub)).toEqual([{ id: "1", day: START / 86_400_000, tokens: null, reserved: 1_000 }]);
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
