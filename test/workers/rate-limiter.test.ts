/** RateLimiter inside workerd: exact under parallel load and across evictions, and erased once idle. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** So far ahead that no alarm runs on its own: the runtime uses its own clock. */
const START = Date.UTC(2100, 0, 1);

// Objects run in the isolate of their tests, so they see the stopped clock too.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

function limiter() {
  return env.RATE_LIMITER.getByName(crypto.randomUUID());
}

function tablesOf(stub: ReturnType<typeof limiter>): Promise<number> {
  return runInDurableObject(stub, (_object, state) => {
    return state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name NOT LIKE '\\_cf\\_%' ESCAPE '\\'").toArray()
      .length;
  });
}

test("admits exactly 100 of 130 parallel requests", async () => {
  const stub = limiter();
  const outcomes = await Promise.all(Array.from({ length: 130 }, () => stub.take(100)));
  expect(outcomes.filter(({ admitted }) => admitted)).toHaveLength(100);
  expect(outcomes.at(-1)).toEqual({ admitted: false, limit: 100, remaining: 0, retryAfter: 60 });
});

test("paces units by the second, and starts full after an eviction [RG-174]", async () => {
  const stub = limiter();
  const pace = { unitsPerSecond: 1_000, burstSeconds: 4, patienceMs: 0 };
  const outcomes = await Promise.all(Array.from({ length: 7 }, () => stub.spend(1_000, pace)));
  expect(outcomes.filter(({ admitted }) => admitted)).toHaveLength(5);
  expect(outcomes.at(-1)).toEqual({ admitted: false, waitMs: 1_000 });
  await stub.spend(-1_000, pace);
  expect(await stub.spend(1, pace)).toEqual({ admitted: true, waitMs: 0 });
  vi.setSystemTime(START + 10_000);
  await evictDurableObject(stub);
  expect(await stub.spend(4_000, pace)).toEqual({ admitted: true, waitMs: 0 });
  expect(await tablesOf(stub)).toBe(0);
});

test("continues counting after an eviction", async () => {
  const stub = limiter();
  await stub.take(3);
  vi.setSystemTime(START + 20_000);
  await stub.take(3);
  await evictDurableObject(stub);
  expect(await stub.take(3)).toMatchObject({ admitted: true, remaining: 0 });
  await evictDurableObject(stub);
  expect(await stub.take(3)).toMatchObject({ admitted: false, retryAfter: 40 });
  vi.setSystemTime(START + 60_000);
  await evictDurableObject(stub);
  expect(await stub.take(3)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await stub.take(3)).toMatchObject({ admitted: false, retryAfter: 20 });
});

test("rapid requests share writes, and all of them are in the journal after a moment", async () => {
  const stub = limiter();
  const stored = () =>
    runInDurableObject(stub, (_object, state) =>
      state.storage.sql
        .exec<{ rows: number; total: number }>("SELECT COUNT(*) AS rows, SUM(count) AS total FROM admissions")
        .one(),
    );
  await Promise.all(Array.from({ length: 30 }, () => stub.take(100)));
  vi.setSystemTime(START + 1);
  await expect.poll(async () => (await stored()).total).toBe(30);
  expect((await stored()).rows).toBeLessThan(30);
  await evictDurableObject(stub);
  expect(await stub.take(100)).toMatchObject({ admitted: true, remaining: 69 });
});

test("addresses have separate counts", async () => {
  const first = limiter();
  await first.take(1);
  expect(await first.take(1)).toMatchObject({ admitted: false });
  expect(await limiter().take(1)).toMatchObject({ admitted: true });
});

test("a refused request writes nothing", async () => {
  const stub = limiter();
  expect(await stub.take(0)).toMatchObject({ admitted: false });
  expect(await tablesOf(stub)).toBe(0);
  expect(await runInDurableObject(stub, (_object, state) => state.storage.getAlarm())).toBeNull();
});

test("the alarm keeps counted requests and erases everything once none counts", async () => {
  const stub = limiter();
  await stub.take(2);
  vi.setSystemTime(START + 30_000);
  await stub.take(2);
  vi.setSystemTime(START + 60_000);
  await evictDurableObject(stub);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await stub.take(2)).toMatchObject({ admitted: true, remaining: 0 });
  expect(await stub.take(2)).toMatchObject({ admitted: false, retryAfter: 30 });

  vi.setSystemTime(START + 120_000);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await tablesOf(stub)).toBe(0);
  expect(await runDurableObjectAlarm(stub)).toBe(false);
  expect(await stub.take(2)).toMatchObject({ admitted: true, remaining: 1 });
  expect(await tablesOf(stub)).toBe(2);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
});

test("the journal has no more rows than counted admissions", async () => {
  const stub = limiter();
  for (let second = 0; second < 200; second += 1) {
    vi.setSystemTime(START + second * 1000);
    await stub.take(5, 10);
  }
  const rows = await runInDurableObject(stub, (_object, state) =>
    state.storage.sql.exec<{ rows: number }>("SELECT COUNT(*) AS rows FROM admissions").one(),
  );
  expect(rows).toEqual({ rows: 5 });
});
