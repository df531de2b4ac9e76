/**
 * An outbox under random failures, object losses and unresponsive receivers, checked against its invariants: every
 * message reaches the receiver or becomes a dead letter, in order, and no attempt is made too early or too often.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { outboxInNode } from "../../test/support/registry/outbox-in-node.ts";
import { delayAfter, type Sender, type AttemptResult } from "./sender.ts";
import { ATTEMPTS } from "./rpc.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

/** The outcome of one attempt; `lost` ends the object, before or after the receiver has accepted the message. */
const fate = fc.constantFrom("taken", "taken", "failed", "failed", "refused", "off", "lost-before", "lost-after");
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("feed"), count: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass"), count: fc.integer({ min: 1, max: 10_000_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("ping"), count: fc.constant(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose"), count: fc.constant(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wake"), count: fc.constant(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("resume"), count: fc.constant(1) }) },
);

interface SeenAttempt {
  readonly id: string;
  readonly at: number;
  readonly number: number;
  readonly taken: boolean;
}

/** `lanes`: the messages of the feed are distributed over these. */
function world(fates: string[], lanes: number) {
  const seen: SeenAttempt[] = [];
  const state = { newest: 0, off: false };
  const sender: Sender = {
    keeps: { delivered: 3, bodies: true },
    async open() {
      if (state.off) return "paused";
      return {
        collect: async (cursor, limit) => {
          const end = Math.min(state.newest, cursor + limit);
          const seqs = Array.from({ length: end - cursor }, (_, index) => cursor + index + 1);
          return {
            messages: seqs.map((seq) => ({
              id: `s${seq}`,
              topic: "t",
              body: "b",
              ordered: true,
              lane: String(seq % lanes),
            })),
            cursor: end,
            more: end < state.newest,
          };
        },
        async send({ message: { id }, number }): Promise<AttemptResult> {
          const next = fates.pop() ?? "taken";
          seen.push({ id, at: box.now, number, taken: next === "taken" || next === "lost-after" });
          if (next.startsWith("lost")) {
            box.lose();
            throw new Error("lost");
          }
          if (next === "taken") return { kind: "delivered", status: 204 };
          return { kind: next === "refused" || next === "off" ? next : "failed", reason: "reason" };
        },
        turnedOff: async () => void (state.off = true),
      };
    },
  };
  const box = outboxInNode(sender);
  return { box, seen, state };
}

/** More than the outbox stores at once, with nothing that wakes it later. */
const backlog = Array.from({ length: 4 }, () => ({ kind: "feed" as const, count: 40 }));

test.each([1, 3])("with %i lanes no message is lost, reordered or sent early [RG-149]", async (lanes) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 80 }), fc.array(step, { maxLength: 25 }), async (fates, steps) => {
      const { box, seen, state } = world([...fates], lanes);
      await box.core.open(0, "secret");
      let pings = 0;
      for (const { kind, count } of steps) {
        if (kind === "feed") state.newest += count;
        if (kind === "feed" || kind === "wake") await box.core.wake();
        if (kind === "pass") await box.run(count);
        if (kind === "lose") box.lose();
        if (kind === "ping") {
          pings += 1;
          await box.core.enqueue([{ id: `p${pings}`, topic: "t", body: "b", ordered: false }]);
        }
        if (kind === "resume") {
          state.off = false;
          await box.core.resume();
        }
      }
      // The receiver recovers; each remaining random outcome turns it off at most once more.
      for (let turn = 0; turn <= fates.length; turn += 1) {
        state.off = false;
        await box.core.resume();
        await box.run();
      }
      const { pending, cursor } = await box.core.summary();
      expect([pending, cursor, box.alarmAt]).toEqual([0, state.newest, undefined]);

      const taken = new Set(seen.filter((attempt) => attempt.taken).map(({ id }) => id));
      const dead = (await box.core.deliveries({ state: "dead", limit: 1_000 })).map(({ id }) => id);
      const sent = [
        ...Array.from({ length: state.newest }, (_, index) => `s${index + 1}`),
        ...Array.from({ length: pings }, (_, index) => `p${index + 1}`),
      ];
      expect(sent.filter((id) => !taken.has(id) && !dead.includes(id))).toEqual([]);

      const order = seen.filter(({ id }) => id.startsWith("s")).map(({ id }) => Number(id.slice(1)));
      for (let lane = 0; lane < lanes; lane += 1) {
        const own = order.filter((seq) => seq % lanes === lane);
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
      for (const id of sent) {
        const attempts = seen.filter((attempt) => attempt.id === id);
        expect(attempts.every(({ number }) => number >= 1 && number <= ATTEMPTS)).toBe(true);
      }
    }),
    { ...runs, examples: [[[], backlog]] },
  );
});

test("unless it is woken, each next attempt comes after its delay, which jitter shortens by up to a half", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 10 }), async (chances) => {
      const at: number[] = [];
      const left = [...chances];
      const sender: Sender = {
        keeps: { delivered: 0, bodies: false },
        open: async () => ({
          send: async () => {
            at.push(box.now);
            return { kind: "failed", reason: "reason" };
          },
        }),
      };
      const box = outboxInNode(sender, () => left.shift() ?? 0);
      await box.core.enqueue([{ id: "a", topic: "t", body: "b", ordered: true }]);
      await box.run();
      expect(at.slice(1).map((time, index) => time - (at[index] ?? 0))).toEqual(
        chances.slice(0, ATTEMPTS - 1).map((chance, index) => delayAfter(index + 1, chance)),
      );
    }),
    runs,
  );
});
