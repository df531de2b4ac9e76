/** An Outbox that collects its messages from a feed, and events during a run. */
import { describe, expect, test } from "vitest";
import { delivered, failed, message, scriptedOutbox } from "../../test/support/registry/scripted-outbox.ts";
import { COLLECTED } from "./delivery-run.ts";
import { OPENING_TIME } from "./outbox.ts";
import { LONGEST_DELAY, type Receiver, type AttemptResult } from "./sender.ts";

describe("collecting", () => {
  /** A feed of numbers; the receiver wants only the even ones. */
  function feed(length: number) {
    const asked: number[] = [];
    const collect: Receiver["collect"] = async (cursor, limit) => {
      asked.push(limit);
      const scanned = Array.from({ length: Math.min(length - cursor, 50) }, (_, index) => cursor + index + 1);
      const taken = scanned.filter((seq) => seq % 2 === 0).slice(0, limit);
      const end = taken.length === limit ? (taken.at(-1) ?? cursor) : (scanned.at(-1) ?? cursor);
      return { messages: taken.map((seq) => message(String(seq))), cursor: end, more: end < length };
    };
    return { collect, asked };
  }

  test("collects every wanted message, in order, in batches of bounded size", async () => {
    const { collect, asked } = feed(1_001);
    const { box, ids } = scriptedOutbox(() => delivered, { collect });
    await box.core.open(0, "secret");
    await box.run();
    expect(ids()).toEqual(Array.from({ length: 500 }, (_, index) => String(2 * index + 2)));
    expect(await box.core.summary()).toMatchObject({ pending: 0, cursor: 1_001 });
    expect(Math.max(...asked)).toBe(COLLECTED);
  });

  test("limits the waiting messages while the receiver fails", async () => {
    const { collect } = feed(1_000);
    const { box } = scriptedOutbox(() => failed, { collect });
    await box.core.open(0, "secret");
    await box.run(OPENING_TIME + LONGEST_DELAY);
    expect((await box.core.summary()).pending).toBe(COLLECTED);
  });

  test("reads a failing feed again", async () => {
    let broken = true;
    const { collect } = feed(10);
    const { box, ids } = scriptedOutbox(() => delivered, {
      collect: async (...asked) => {
        if (broken) throw new Error("the database is away");
        return (await collect?.(...asked)) ?? { messages: [], cursor: 0, more: false };
      },
    });
    await box.core.open(0, "secret");
    await box.run(OPENING_TIME);
    expect(box.log).toEqual([expect.stringContaining("outbox-run-failed")]);
    broken = false;
    await box.run();
    expect(ids()).toEqual(["2", "4", "6", "8", "10"]);
  });

  test("a wake-up during a run that has already looked is not lost", async () => {
    let length = 2;
    let meanwhile = async () => {};
    const { box, ids } = scriptedOutbox(() => delivered, {
      collect: async (cursor) => {
        const seen = length;
        await meanwhile();
        const messages = cursor < seen ? [message(String(seen))] : [];
        return { messages, cursor: Math.max(seen, cursor), more: false };
      },
    });
    await box.core.open(0, "secret");
    await box.run();
    meanwhile = async () => {
      meanwhile = async () => {};
      length = 3;
      await box.core.wake();
    };
    await box.core.wake();
    await box.run();
    expect(ids()).toEqual(["2", "3"]);
  });

  test("closing during a run leaves nothing behind", async () => {
    let release: (result: AttemptResult) => void = () => undefined;
    const { box, ids } = scriptedOutbox(() => new Promise<AttemptResult>((resolve) => (release = resolve)));
    await box.core.enqueue([message("a"), message("b")]);
    const ringing = box.ring();
    await expect.poll(ids).toEqual(["a"]);
    await box.core.close();
    release(failed);
    await ringing;
    expect(box.alarmAt).toBeUndefined();
    expect([ids(), await box.core.deliveries({ limit: 9 })]).toEqual([["a"], []]);
    expect(box.log.filter((line) => line.startsWith("error"))).toEqual([]);
  });
});
