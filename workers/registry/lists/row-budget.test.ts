/** The reservation of one request, and the Retry-After of a refused caller. */
import { describe, expect, test } from "vitest";
import { RefusedQuery } from "../store/refused-query.ts";
import { createDeploymentBudget } from "./deployment-budget.ts";
import { createRowCosts, createRowMeter } from "./row-budget.ts";
import { createScanGate } from "./scan-gate.ts";

function world(limits = { request: 1_000, minute: 60_000, scan: 1_000_000, public: 1_000_000 }) {
  const clock = { now: 0 };
  const costs = createRowCosts({ public: limits.minute, key: limits.minute }, () => clock.now);
  const deployment = createDeploymentBudget(
    { scan: limits.scan, public: limits.public },
    { limiters: undefined, clock: () => clock.now, failed: () => undefined },
  );
  const meter = (kind: "public" | "key" = "public", name = "a") =>
    createRowMeter({
      limit: limits.request,
      kind,
      caller: costs.of(kind, [{ name, share: 1 }]),
      deployment,
      gate: createScanGate(),
    });
  return { clock, costs, deployment, meter };
}

const refusalOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (each: unknown) => each,
  );
  return thrown instanceof RefusedQuery ? [thrown.failure.reason, thrown.failure.retryAfter] : thrown;
};

describe("prices the parts of one request together [RG-171]", () => {
  test("admits all parts at the limit, and refuses all one unit above it", async () => {
    for (const [units, expected] of [
      [500, undefined],
      [501, ["query_too_costly", undefined]],
    ] as const) {
      const meter = world().meter();
      const parts = [meter.work((admit) => admit(500)), meter.work((admit) => admit(units))];
      expect(await Promise.all(parts.map(refusalOf))).toEqual([expected, expected]);
    }
  });

  test("an admitted part waits for parts that still probe, unless the price is already too high", async () => {
    const meter = world().meter();
    const { promise, resolve } = Promise.withResolvers<void>();
    const looking = meter.work(() => promise);
    let isAdmitted = false;
    const other = meter.work(async (admit) => {
      await admit(900);
      isAdmitted = true;
    });
    await expect(refusalOf(meter.work((admit) => admit(200)))).resolves.toEqual(["query_too_costly", undefined]);
    await expect(refusalOf(other)).resolves.toEqual(["query_too_costly", undefined]);
    resolve();
    await looking;
    expect(isAdmitted).toBe(false);
    expect(() => meter.allow(1, 1)).toThrow(RefusedQuery);
  });
});

describe("a caller's minute [RG-171]", () => {
  const limits = { request: 50_000, minute: 60_000, scan: 1_000_000, public: 1_000_000 };

  test("is charged for actual use, and not for a refusal", async () => {
    const { meter, costs } = world(limits);
    const first = meter();
    await first.work((admit) => admit(50_000));
    first.charge(20_000);
    expect(await refusalOf(meter().work((admit) => admit(20_000)))).toEqual(["rate_limited", 10]);
    await first.close();
    expect(costs.of("public", [{ name: "a", share: 1 }]).wait(40_000)).toBe(0);
    expect(costs.of("public", [{ name: "a", share: 1 }]).wait(40_002)).toBe(1);
  });

  test.each([1, 7_777, 30_000, 49_900])("a caller who waits for Retry-After is admitted: %i units", async (units) => {
    const { meter, clock } = world(limits);
    let admitted = 0;
    for (let at = 0; at < 200; at += 1) {
      const own = meter();
      // A small probe first, because each attempt repeats it.
      const refusal = await refusalOf(
        own.work(async (admit) => {
          own.allow(1, 100);
          own.charge(100);
          await admit(units);
          own.charge(units);
        }),
      );
      await own.close();
      if (refusal === undefined) {
        admitted += 1;
        continue;
      }
      const wait = Number((refusal as readonly unknown[])[1]);
      clock.now += wait * 1_000;
      const again = meter();
      const outcome = again.work(async (admit) => {
        again.allow(1, 100);
        again.charge(100);
        await admit(units);
        again.charge(units);
      });
      expect(await refusalOf(outcome)).toBeUndefined();
      await again.close();
      admitted += 1;
    }
    expect(admitted).toBe(200);
  });

  test("Retry-After suffices if a request reserves in several steps and the first is refused", async () => {
    const { meter, clock } = world(limits);
    const request = async () => {
      const own = meter();
      const refusal = await refusalOf(
        own.work(async (admit) => {
          for (const units of [5_000, 35_000]) {
            await admit(units);
            own.charge(units);
          }
        }),
      );
      await own.close();
      return refusal;
    };
    expect(await request()).toBeUndefined();
    clock.now += 21_000;
    expect(await request()).toBeUndefined();
    const refusal = await request();
    expect(refusal).toEqual(["rate_limited", 39]);
    expect(await request()).toEqual(refusal);
    clock.now += 39_000;
    expect(await request()).toBeUndefined();
  });

  test("a wider network has its share of the limit", () => {
    const { costs } = world(limits);
    for (let at = 0; at < 16; at += 1) {
      costs
        .of("public", [
          { name: `${at}`, share: 1 },
          { name: "site", share: 16 },
        ])
        .charge(60_000);
    }
    const fresh = costs.of("public", [
      { name: "new", share: 1 },
      { name: "site", share: 16 },
    ]);
    expect(fresh.wait(16)).toBe(1);
    expect(costs.of("public", [{ name: "other", share: 1 }]).wait(60_000)).toBe(0);
  });
});

describe("the deployment [RG-174]", () => {
  test("refuses scans of callers without a key first, and returns their reservations", async () => {
    const { deployment, clock } = world({ request: 1, minute: 1, scan: 1_000, public: 100_000 });
    expect(await deployment.reserve("public", 8_000)).toBe(0);
    expect(await deployment.reserve("public", 1)).toBe(4);
    expect(await deployment.reserve("public", 1)).toBe(4);
    await deployment.refund("public", 4_000);
    expect(await deployment.reserve("public", 1)).toBe(0);
    clock.now += 60_000;
    // Callers with a key wait up to 10 seconds, in addition to the 4 seconds that can start at once.
    expect(await deployment.reserve("key", 15_000)).toBe(0);
    expect(await deployment.reserve("key", 1)).toBe(1);
  });

  test("takes small reads without a key from a lease, and charges overdrafts to the next lease", async () => {
    const { deployment, clock } = world({ request: 1, minute: 1, scan: 1_000_000, public: 50_000 });
    const admitted = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const wait = await deployment.admitPublic();
        if (wait > 0) return [at, wait];
      }
      return [count, 0];
    };
    // Four seconds at once and the lease that begins at their end: 250,000 units, 500 per request.
    expect(await admitted(1_000)).toEqual([500, 1]);
    clock.now += 1_000;
    expect(await admitted(1)).toEqual([1, 0]);
    deployment.spend("public", 150_000);
    expect(await admitted(1)).toEqual([0, 1]);
    deployment.spend("key", 1_000_000);
    clock.now += 1_000;
    expect(await admitted(1)).toEqual([1, 0]);
  });

  test("one object counts it, or each isolate while the object is unreachable", async () => {
    const spent: [string, number][] = [];
    let isDown = false;
    let failures = 0;
    const limiters = {
      getByName: (name: string) => ({
        async spend(units: number) {
          if (isDown) throw new Error("no network");
          spent.push([name, units]);
          return { admitted: units < 100, waitMs: units < 100 ? 0 : 2_500 };
        },
      }),
    };
    const budget = createDeploymentBudget(
      { scan: 10, public: 10 },
      { limiters, clock: () => 0, failed: () => void (failures += 1) },
    );
    expect(await budget.reserve("key", 50)).toBe(0);
    expect(await budget.reserve("key", 100)).toBe(3);
    expect(await budget.reserve("public", 99)).toBe(0);
    await budget.refund("public", 9);
    expect(spent).toEqual([
      ["registry:scan", 50],
      ["registry:scan", 100],
      ["registry:public", 99],
      ["registry:scan", 99],
      ["registry:scan", -9],
      ["registry:public", -9],
    ]);
    isDown = true;
    expect(await budget.reserve("key", 50)).toBe(0);
    expect(await budget.reserve("public", 1)).toBe(1);
    expect(failures).toBeGreaterThan(0);
  });
});
