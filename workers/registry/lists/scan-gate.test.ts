/** Scanning statements run one at a time, with a queue that cancelled requests cannot block. */
import { expect, test } from "vitest";
import { RefusedQuery } from "../store/refused-query.ts";
import { createScanGate, MOST_WAITING } from "./scan-gate.ts";

/** A stopped clock: no request counts as gone, however slow the machine is. */
const still = () => 0;
const keyed = { isKeyed: true, isScan: true };
const keyless = { isKeyed: false, isScan: true };

/** A statement that runs until the test releases it. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { run: () => promise, release: resolve };
}

test("one statement runs at a time, and callers with a key come first [RG-175]", async () => {
  const gate = createScanGate(still);
  const order: string[] = [];
  let running = 0;
  const statement = (name: string) => async () => {
    running += 1;
    expect(running).toBe(1);
    order.push(name);
    await Promise.resolve();
    running -= 1;
  };
  const first = held();
  const begun = Promise.withResolvers<void>();
  const blocking = gate.run(keyless, () => {
    begun.resolve();
    return first.run();
  });
  await begun.promise;
  const others = [
    gate.run(keyless, statement("public 1")),
    gate.run(keyless, statement("public 2")),
    gate.run(keyed, statement("key 1")),
    gate.run(keyed, statement("key 2")),
  ];
  first.release();
  await Promise.all([blocking, ...others]);
  expect(order).toEqual(["key 1", "key 2", "public 1", "public 2"]);
});

test("other work runs between two statements of one request [RG-175]", async () => {
  const gate = createScanGate(still);
  const order: string[] = [];
  const scan = (async () => {
    await gate.run(keyed, async () => void order.push("scan"));
    await gate.run(keyed, async () => void order.push("scan"));
  })();
  const other = new Promise<void>((resolve) =>
    setTimeout(() => {
      order.push("other");
      resolve();
    }, 0),
  );
  await Promise.all([scan, other]);
  expect(order).toEqual(["scan", "other", "scan"]);
});

test("a small statement runs at once if the queue is empty, and otherwise takes its turn [RG-175]", async () => {
  const gate = createScanGate(still);
  const small = { isKeyed: false, isScan: false };
  const first = held();
  const order: string[] = [];
  const running = gate.run(small, () => {
    order.push("first");
    return first.run();
  });
  const second = gate.run(small, async () => void order.push("second"));
  expect(order).toEqual(["first"]);
  first.release();
  await Promise.all([running, second]);
  expect(order).toEqual(["first", "second"]);
});

test("after a failed statement the next one runs", async () => {
  const gate = createScanGate(still);
  await expect(gate.run(keyed, () => Promise.reject(new Error("no storage")))).rejects.toThrow("no storage");
  await expect(gate.run(keyed, async () => 7)).resolves.toBe(7);
});

test("gives up a statement whose request never ends", async () => {
  let now = 0;
  const gate = createScanGate(() => now);
  const lost = held();
  const begun = Promise.withResolvers<void>();
  void gate.run(keyed, () => {
    begun.resolve();
    return lost.run();
  });
  await begun.promise;
  const next = gate.run(keyed, async () => "next");
  now = 30_001;
  await expect(next).resolves.toBe("next");
});

test("a full queue refuses, with a time to retry", async () => {
  const gate = createScanGate(still);
  const first = held();
  const waiting = Array.from({ length: MOST_WAITING }, () => gate.run(keyless, first.run));
  const refused = await gate.run(keyed, async () => 1).catch((thrown: unknown) => thrown);
  expect(refused).toBeInstanceOf(RefusedQuery);
  expect(refused).toMatchObject({ failure: { reason: "rate_limited", retryAfter: 2 } });
  first.release();
  await Promise.all(waiting);
});
