/** How an Outbox handles messages that are passed to it: order, retries, dead letters, a receiver that is off. */
import { describe, expect, test } from "vitest";
import { delivered, failed, message, messages, scriptedOutbox } from "../../test/support/registry/scripted-outbox.ts";
import { DEAD_IN_A_ROW, PARALLEL_ATTEMPTS, REFUSED_IN_A_ROW } from "./delivery-run.ts";
import { OPENING_TIME, WAKE_INTERVAL } from "./outbox.ts";
import type { AttemptResult } from "./sender.ts";
import { DEAD_LETTERS } from "./store.ts";
import { ATTEMPTS } from "./rpc.ts";

describe("delivery", () => {
  test("accepts each id once, sends in order, and sets no alarm afterwards", async () => {
    const { box, ids } = scriptedOutbox(() => delivered);
    expect(await box.core.enqueue([message("a"), message("b")])).toEqual({ ok: true, value: 2 });
    expect(await box.core.enqueue([message("b"), message("c")])).toEqual({ ok: true, value: 1 });
    expect(ids()).toEqual([]);
    await box.run();
    expect(ids()).toEqual(["a", "b", "c"]);
    expect(box.alarmAt).toBeUndefined();
    expect(await box.core.enqueue([message("a")])).toEqual({ ok: true, value: 0 });
    expect(await box.core.deliveries({ limit: 1 })).toEqual([
      {
        id: "c",
        topic: "t",
        state: "delivered",
        attempts: 1,
        takenAt: box.now,
        nextAttemptAt: null,
        endedAt: box.now,
        lastStatus: 200,
        lastReason: null,
        position: expect.any(Number),
      },
    ]);
  });

  test("retries a failure later; ordered messages wait for it, others do not", async () => {
    const { box, ids } = scriptedOutbox(({ message: { id }, number }) =>
      id === "a" && number < 3 ? failed : delivered,
    );
    await box.core.enqueue([message("a"), message("b"), message("x", { ordered: false })]);
    await box.run(4_999);
    expect(ids()).toEqual(["a", "x"]);
    await box.run(1);
    expect(ids()).toEqual(["a", "x", "a"]);
    await box.run(20_000);
    expect(ids()).toEqual(["a", "x", "a", "a", "b"]);
  });

  test("waits as long as the receiver asks, and treats a sender's exception as a failure", async () => {
    const { box, ids } = scriptedOutbox(({ number }) => {
      if (number === 1) throw new Error("no route");
      return number === 2 ? { kind: "failed", reason: "busy", retryAfterMs: 3_600_000 } : delivered;
    });
    await box.core.enqueue([message("a")]);
    await box.run(5_000);
    expect(await box.core.deliveries({ limit: 1 })).toMatchObject([{ attempts: 2, lastReason: "busy" }]);
    await box.run(3_599_999);
    expect(ids()).toHaveLength(2);
    await box.run(1);
    expect(ids()).toHaveLength(3);
  });

  test("a hanging attempt blocks neither the others nor more than its own place", async () => {
    let release: (result: AttemptResult) => void = () => undefined;
    const hanging = new Promise<AttemptResult>((resolve) => (release = resolve));
    const { box, sent } = scriptedOutbox(({ message: { id } }) => (id === "m0" ? hanging : delivered));
    await box.core.enqueue(messages(10, { ordered: false }));
    const ringing = box.ring();
    // All others are sent concurrently, and none waits for its end.
    await expect.poll(() => sent.length).toBe(10);
    release(delivered);
    await ringing;
    expect(sent.map(({ message: { id } }) => id)).toEqual(messages(10).map(({ id }) => id));
  });

  test("limits the concurrent attempts, and each that ends makes room for the next", async () => {
    const releases: (() => void)[] = [];
    const { box, sent } = scriptedOutbox(
      () => new Promise<AttemptResult>((resolve) => releases.push(() => resolve(delivered))),
    );
    const count = PARALLEL_ATTEMPTS + 2;
    await box.core.enqueue(messages(count, { ordered: false }));
    const ringing = box.ring();
    await expect.poll(() => sent.length).toBe(PARALLEL_ATTEMPTS);
    for (let ended = 0; ended < count; ended += 1) {
      expect(sent).toHaveLength(Math.min(count, PARALLEL_ATTEMPTS + ended));
      releases[ended]?.();
      await expect.poll(() => sent.length).toBe(Math.min(count, PARALLEL_ATTEMPTS + ended + 1));
    }
    await ringing;
    expect(sent).toHaveLength(count);
  });

  test("sends a message that arrives while an attempt hangs within a second, and does not begin an active one again [RG-149]", async () => {
    let release: (result: AttemptResult) => void = () => undefined;
    const hanging = new Promise<AttemptResult>((resolve) => (release = resolve));
    const { box, sent, ids } = scriptedOutbox(({ message: { id } }) => (id === "m0" ? hanging : delivered));
    await box.core.enqueue([message("m0", { lane: "a" }), message("m1", { lane: "a" }), message("m2", { lane: "b" })]);
    const ringing = box.ring();
    await expect.poll(() => sent.length).toBe(2);
    // Longer than the delay before the next attempt: the message becomes due again while it is active.
    box.now += 10_000;
    await box.core.enqueue([message("m3", { lane: "b" })]);
    expect(ids()).toEqual(["m0", "m2"]);
    box.timers.advance(1_000);
    await expect.poll(() => sent.length).toBe(3);
    expect(ids()).toEqual(["m0", "m2", "m3"]);
    release(delivered);
    await ringing;
    expect(ids()).toEqual(["m0", "m2", "m3", "m1"]);
    expect((await box.core.deliveries({ limit: 9 })).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
  });
});

describe("lanes [RG-149, RG-211]", () => {
  const lanes = ["one", "one", "two", "two", "three"];
  const queued = lanes.map((lane, at) => message(`${lane}-${at}`, { lane }));

  test("a message that is retried blocks only its lane", async () => {
    const { box, ids } = scriptedOutbox(({ message: { id }, number }) =>
      id === "one-0" && number < 3 ? failed : delivered,
    );
    await box.core.enqueue(queued);
    await box.run(4_999);
    expect(ids()).toEqual(["one-0", "two-2", "three-4", "two-3"]);
    await box.run(5_000 + 15_000);
    expect(ids().slice(4)).toEqual(["one-0", "one-0", "one-1"]);
  });

  test("a refused message is a dead letter at once, and its lane continues", async () => {
    const { box, ids } = scriptedOutbox(({ message: { id } }) =>
      id === "one-0" ? { kind: "refused", reason: "status", status: 400 } : delivered,
    );
    await box.core.enqueue(queued);
    await box.ring();
    expect(ids().toSorted()).toEqual(queued.map(({ id }) => id).toSorted());
    expect(await box.core.deliveries({ state: "dead", limit: 9 })).toMatchObject([
      { id: "one-0", attempts: 1, lastStatus: 400 },
    ]);
  });
});

test("wakes within a second cause one look, and none is lost [RG-213]", async () => {
  let looks = 0;
  const { box } = scriptedOutbox(() => delivered, {
    collect: async (cursor) => {
      looks += 1;
      return { messages: [], cursor, more: false };
    },
  });
  await box.core.open(0, "secret");
  await box.core.wake();
  await box.ring();
  expect(looks).toBe(1);
  for (let times = 0; times < 50; times += 1) {
    box.now += 10;
    await box.core.wake();
    await box.ring();
  }
  expect([looks, (box.alarmAt ?? 0) - box.now]).toEqual([1, WAKE_INTERVAL - 500]);
  await box.run();
  expect([looks, box.alarmAt]).toEqual([2, undefined]);
  box.now += WAKE_INTERVAL;
  await box.core.wake();
  expect(box.alarmAt).toBe(box.now);
});

test("an outbox whose removal was interrupted finds its receiver gone and erases itself [RG-214]", async () => {
  let state: "there" | "none" = "there";
  const { box } = scriptedOutbox(() => delivered, {
    open: async () => (state === "none" ? "none" : { send: async () => delivered }),
  });
  await box.core.open(3, "whsec_a");
  await box.run();
  await box.core.recheck();
  state = "none";
  box.lose();
  expect((await box.core.summary()).cursor).toBe(3);
  await box.run(OPENING_TIME);
  expect(await box.core.summary()).toEqual({ pending: 0, dead: 0, cursor: 0, nextAttemptAt: null });
  await box.core.recheck();
  expect(box.alarmAt).toBeUndefined();
});

describe("dead letters", () => {
  test("a message becomes one after its last attempt, and the next message is tried", async () => {
    const { box, ids } = scriptedOutbox(({ message: { id } }) => (id === "a" ? failed : delivered));
    await box.core.enqueue([message("a"), message("b")]);
    await box.run();
    expect(ids()).toEqual([...Array.from({ length: ATTEMPTS }, () => "a"), "b"]);
    expect(await box.core.deliveries({ state: "dead", limit: 10 })).toMatchObject([
      { id: "a", attempts: ATTEMPTS, lastStatus: 500, lastReason: "status", nextAttemptAt: null },
    ]);
    expect(await box.core.summary()).toMatchObject({ pending: 0, dead: 1, nextAttemptAt: null });
  });

  test("a refused message becomes one at once; it is replayed under its id, with all its attempts", async () => {
    let good = false;
    const { box, ids } = scriptedOutbox(() => (good ? delivered : { kind: "refused", reason: "too long" }));
    await box.core.enqueue([message("a"), message("b")]);
    await box.run();
    expect(ids()).toEqual(["a", "b"]);
    good = true;
    expect(await box.core.replay("dead")).toBe(2);
    await box.run();
    expect(ids()).toEqual(["a", "b", "a", "b"]);
    expect(await box.core.replay(["a", "nothing"])).toBe(1);
    await box.run();
    expect(ids().at(-1)).toBe("a");
    expect(await box.core.summary()).toMatchObject({ pending: 0, dead: 0 });
  });

  test("a last attempt whose end was lost makes one", async () => {
    const { box } = scriptedOutbox(() => new Promise(() => {}));
    await box.core.enqueue([message("a", { attempts: 1 })]);
    void box.ring();
    await expect.poll(async () => (await box.core.deliveries({ limit: 1 }))[0]?.attempts).toBe(1);
    box.lose();
    await box.run();
    expect(await box.core.deliveries({ limit: 1 })).toMatchObject([{ state: "dead", lastReason: "interrupted" }]);
  });

  test("the oldest is removed if there are too many", async () => {
    const { box } = scriptedOutbox(() => ({ kind: "refused", reason: "no" }));
    for (const part of [0, 1]) {
      const half = Array.from({ length: DEAD_LETTERS / 2 + part }, (_, n) =>
        message(`${part}-${n}`, { ordered: false }),
      );
      await box.core.enqueue(half);
      await box.run();
    }
    expect(await box.core.summary()).toMatchObject({ pending: 0, dead: DEAD_LETTERS });
    const dead = await box.core.deliveries({ state: "dead", limit: DEAD_LETTERS });
    expect(dead.some(({ id }) => id === "0-0")).toBe(false);
    expect(dead.at(-1)?.id).toBe("0-1");
  });
});

describe("a receiver that is off", () => {
  test("keeps its waiting messages, and receives them once it is on again", async () => {
    const reasons: string[] = [];
    let gone = true;
    const { box, ids } = scriptedOutbox(() => (gone ? { kind: "off", reason: "gone", status: 410 } : delivered), {
      turnedOff: async (reason) => void reasons.push(reason),
    });
    await box.core.enqueue([message("a"), message("b")]);
    await box.run();
    expect([ids(), reasons, box.alarmAt]).toEqual([["a"], ["gone"], undefined]);
    expect(await box.core.deliveries({ limit: 2 })).toMatchObject([
      { id: "b", attempts: 0 },
      { id: "a", attempts: 0, lastStatus: 410, lastReason: "gone" },
    ]);
    gone = false;
    await box.core.resume();
    await box.run();
    expect(ids()).toEqual(["a", "a", "b"]);
  });

  test(`is one with ${DEAD_IN_A_ROW} consecutive ordered dead letters`, async () => {
    const reasons: string[] = [];
    const { box } = scriptedOutbox(({ message: { id } }) => (id === "m1" ? delivered : failed), {
      turnedOff: async (reason) => void reasons.push(reason),
    });
    await box.core.enqueue(messages(9, { attempts: 1 }));
    await box.run();
    expect(reasons).toEqual(["failing"]);
    expect(await box.core.summary()).toMatchObject({ pending: 4, dead: 4 });
    await box.core.resume();
    await box.run();
    expect(await box.core.summary()).toMatchObject({ pending: 1, dead: 7 });
  });

  test(`is one that refused ${REFUSED_IN_A_ROW} consecutive ordered messages, and no fewer [RG-211]`, async () => {
    const reasons: string[] = [];
    const { box, ids } = scriptedOutbox(
      ({ message: { id } }) => (id === "m5" ? delivered : { kind: "refused", reason: "status", status: 400 }),
      { turnedOff: async (reason) => void reasons.push(reason) },
    );
    await box.core.enqueue(messages(6 + REFUSED_IN_A_ROW - 1));
    await box.run();
    expect([reasons, ids().length]).toEqual([[], 6 + REFUSED_IN_A_ROW - 1]);
    await box.core.enqueue([message("last"), message("waits")]);
    await box.run();
    expect([reasons, ids().at(-1)]).toEqual([["failing"], "last"]);
    expect(await box.core.summary()).toMatchObject({ pending: 1, dead: 5 + REFUSED_IN_A_ROW });
  });

  test("paused: nothing is sent and no alarm is set; no receiver: everything is erased", async () => {
    let state: "paused" | "none" = "paused";
    const { box } = scriptedOutbox(() => delivered, { open: async () => state });
    await box.core.open(7, "whsec_a");
    expect(box.alarmAt).toBe(box.now + OPENING_TIME);
    await box.run();
    expect([box.alarmAt, await box.core.summary()]).toEqual([undefined, expect.objectContaining({ cursor: 7 })]);
    state = "none";
    await box.core.wake();
    await box.run();
    expect(await box.core.summary()).toEqual({ pending: 0, dead: 0, cursor: 0, nextAttemptAt: null });
    await box.core.wake();
    expect(box.alarmAt).toBeUndefined();
  });
});
