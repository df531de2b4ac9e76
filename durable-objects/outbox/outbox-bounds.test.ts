/** The limits of an Outbox: its queue, bodies, secrets, and the callers who wait for an outcome. */
import { describe, expect, test } from "vitest";
import { outboxInNode } from "../../test/support/registry/outbox-in-node.ts";
import { delivered, failed, message, messages, scriptedOutbox } from "../../test/support/registry/scripted-outbox.ts";
import { createSqliteStorage, tablesOf } from "../../test/support/storage/sqlite-storage.ts";
import { ATTEMPTS_PER_RUN } from "./delivery-run.ts";
import { BODY_BYTES, LONGEST_OUTCOME_WAIT, QUEUE } from "./outbox.ts";
import { createOutboxStore } from "./store.ts";

describe("bounds", () => {
  test("the queue has a maximum length", async () => {
    const { box } = scriptedOutbox(() => delivered);
    expect(await box.core.enqueue(messages(QUEUE))).toEqual({ ok: true, value: QUEUE });
    expect(await box.core.enqueue([message("more")])).toMatchObject({ ok: false, error: { code: "unavailable" } });
    await box.run();
    expect(await box.core.enqueue([message("more")])).toEqual({ ok: true, value: 1 });
  });

  test("accepts a body of the maximum size and refuses one byte more", async () => {
    const { box } = scriptedOutbox(() => delivered);
    expect(await box.core.enqueue([message("a", { body: "x".repeat(BODY_BYTES) })])).toMatchObject({ ok: true });
    const refused = await box.core.enqueue([message("b", { body: "é".repeat(BODY_BYTES / 2) + "x" })]);
    expect(refused).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  test("one run makes a maximum number of attempts, and the next follows at once", async () => {
    const { box, ids } = scriptedOutbox(() => delivered);
    await box.core.enqueue(messages(ATTEMPTS_PER_RUN + 1, { ordered: false }));
    await box.ring();
    expect([ids().length, box.alarmAt]).toEqual([ATTEMPTS_PER_RUN, box.now]);
    await box.ring();
    expect(ids()).toHaveLength(ATTEMPTS_PER_RUN + 1);
  });

  test("the sender decides whether bodies of delivered messages are kept; their ids are always remembered", async () => {
    const { box, ids } = scriptedOutbox(() => delivered, { keeps: { delivered: 2, bodies: false } });
    await box.core.enqueue(messages(3));
    await box.run();
    expect((await box.core.deliveries({ limit: 9 })).map(({ id }) => id)).toEqual(["m2", "m1"]);
    expect(await box.core.replay(["m2"])).toBe(0);
    expect(await box.core.enqueue([message("m2")])).toEqual({ ok: true, value: 0 });
    await box.run();
    expect(ids()).toHaveLength(3);
  });

  test("accepts nothing without a sender; reading leaves no trace", async () => {
    const box = outboxInNode(undefined);
    expect(await box.core.enqueue([message("a")])).toMatchObject({ ok: false, error: { code: "unavailable" } });
    await box.core.wake();
    await box.core.resume();
    expect([await box.core.replay("dead"), await box.core.deliveries({ limit: 1 })]).toEqual([0, []]);
    expect(box.alarmAt).toBeUndefined();
  });
});

describe("secrets", () => {
  test("are listed newest first; old ones stay valid until their overlap ends, which a second rotation does not extend", async () => {
    const { box, sent } = scriptedOutbox(() => delivered);
    await box.core.open(0, "one");
    await box.core.open(9, "not taken");
    await box.core.rotate("two", 10_000);
    await box.core.rotate("three", 20_000);
    const used = async (id: string) => {
      await box.core.enqueue([message(id)]);
      await box.ring();
      return sent.at(-1)?.secrets;
    };
    expect(await used("a")).toEqual(["three", "two", "one"]);
    box.now += 10_000;
    expect(await used("b")).toEqual(["three", "two"]);
    box.now += 10_000;
    expect(await used("c")).toEqual(["three"]);
    await box.core.rotate("four", 0);
    expect(await used("d")).toEqual(["four"]);
  });
});

describe("the outcome of a message", () => {
  test("is waited for, up to a limit", async () => {
    const { box } = scriptedOutbox(({ message: { id } }) =>
      id === "a" ? delivered : { kind: "refused", reason: "no" },
    );
    expect(await box.core.outcome("a", 1_000)).toBeNull();
    await box.core.enqueue([message("a"), message("b")]);
    const outcomes = [box.core.outcome("a", 1_000), box.core.outcome("a", 1_000), box.core.outcome("b", 1_000)];
    await box.run();
    expect(await Promise.all(outcomes)).toEqual(["delivered", "delivered", "dead"]);
    expect(box.timers.pending).toBe(0);
    expect(await box.core.outcome("b", 1_000)).toBe("dead");
  });

  test("is pending if it takes longer, however long the caller would wait", async () => {
    const { box } = scriptedOutbox(() => failed);
    await box.core.enqueue([message("a")]);
    expect(await box.core.outcome("a", 0)).toBe("pending");
    const outcome = box.core.outcome("a", 10 * LONGEST_OUTCOME_WAIT);
    box.timers.advance(LONGEST_OUTCOME_WAIT);
    expect(await outcome).toBe("pending");
  });
});

test("reading an outbox that was never written to creates no table", () => {
  const storage = createSqliteStorage();
  createOutboxStore(storage).summary();
  expect(tablesOf(storage.database)).toEqual([]);
});
