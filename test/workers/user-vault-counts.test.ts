/** The counts of a UserVault inside workerd: requests per minute, turns and tokens per day. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { START, RATE, vault, tablesOf, record, delegation, journalled } from "../support/oracle/user-vaults.ts";

// Objects run in the isolate of their tests, so that they see the same stopped clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
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

describe("the rate counter in storage", () => {
  test("an object that lost its memory at rest still counts the requests of the last minute, to the second", async () => {
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

  test("120 requests that come together cost a row or two, not 120", async () => {
    const stub = vault();
    await Promise.all(Array.from({ length: 120 }, () => stub.countRequest(120)));
    await journalled(stub);
    const rows = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec<{ count: number }>("SELECT count FROM requests").toArray(),
    );
    expect(rows.length).toBeLessThanOrEqual(2);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(120);
  });

  test("a vault that holds nothing but counts erases itself when they no longer matter; any other stays [OR-149]", async () => {
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

describe("turns and tokens of a day [OR-140, OR-141]", () => {
  const TURNS = { turns: 3, tokens: 0 };
  const TOKENS = { turns: 0, tokens: 1_000 };
  const untilMidnight = 86_400;
  const turnsOf = (stub: ReturnType<typeof vault>) =>
    runInDurableObject(stub, (_object, { storage }) =>
      storage.sql.exec("SELECT id, day, tokens, reserved FROM turns").toArray(),
    );

  test("turns are written a moment later, at the latest when one has ended, as often as they are asked for", async () => {
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

  test("turns: exactly up to the limit, even for two at once and after an eviction; the count restarts at midnight (UTC)", async () => {
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

  test("a turn that did not start is given back, once", async () => {
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

  test("is no limit", async () => {
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
