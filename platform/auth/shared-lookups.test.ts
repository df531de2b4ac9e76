/** Lookups that requests share: how many are made, and how long requests wait if one is slow or unresponsive. */
import { expect, test } from "vitest";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import { createSharedLookups, LOOKUP_PATIENCE } from "./shared-lookups.ts";

/** Lookups that a test resolves, in the order in which they began. */
function setUp() {
  const timers = manualTimers();
  const clock = { now: 0 };
  const begun: PromiseWithResolvers<string>[] = [];
  const share = createSharedLookups<string>(() => clock.now, timers.after);
  const ask = (key: string): Promise<string> =>
    share(key, () => {
      const lookup = Promise.withResolvers<string>();
      begun.push(lookup);
      return lookup.promise;
    });
  /** Advances the clock by this many milliseconds and wakes every waiting request. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock.now += milliseconds;
    const { pending } = timers;
    for (let rung = 0; rung < pending; rung += 1) await timers.ring();
  };
  return { begun, ask, pass };
}

test("one lookup answers all concurrent requests; a later request begins another [OR-16]", async () => {
  const { begun, ask } = setUp();
  const answers = Array.from({ length: 150 }, () => ask("a"));
  expect(begun).toHaveLength(1);
  begun[0]?.resolve("one");
  expect(new Set(await Promise.all(answers))).toEqual(new Set(["one"]));
  const later = ask("a");
  expect(begun).toHaveLength(2);
  begun[1]?.resolve("two");
  expect(await later).toBe("two");
});

test("different keys have separate lookups", async () => {
  const { begun, ask } = setUp();
  const answers = [ask("a"), ask("b")];
  begun[0]?.resolve("of a");
  begun[1]?.resolve("of b");
  expect(await Promise.all(answers)).toEqual(["of a", "of b"]);
});

test("a lookup that throws throws for all, and is no longer shared", async () => {
  const { begun, ask } = setUp();
  const answers = [ask("a"), ask("a")];
  begun[0]?.reject(new Error("broken"));
  for (const outcome of await Promise.allSettled(answers)) expect(outcome.status).toBe("rejected");
  const later = ask("a");
  begun[1]?.resolve("two");
  expect(await later).toBe("two");
});

test("a slow lookup answers all waiting requests, and costs at most one more lookup a second [OR-540]", async () => {
  expect(LOOKUP_PATIENCE).toBe(1_000);
  const { begun, ask, pass } = setUp();
  const early = Array.from({ length: 20 }, () => ask("a"));
  await pass(LOOKUP_PATIENCE - 1);
  expect(begun).toHaveLength(1);
  await pass(1);
  expect(begun).toHaveLength(2);
  const late = Array.from({ length: 20 }, () => ask("a"));
  await pass(500);
  expect(begun).toHaveLength(2);
  begun[0]?.resolve("one");
  expect(new Set(await Promise.all([...early, ...late]))).toEqual(new Set(["one"]));
});

test("when the request that began a lookup is cancelled, waiting requests need one second and their own lookup [OR-540]", async () => {
  const { begun, ask, pass } = setUp();
  const cancelled = ask("a");
  const others = [ask("a"), ask("a")];
  await pass(LOOKUP_PATIENCE);
  expect(begun).toHaveLength(2);
  begun[1]?.resolve("two");
  expect(await Promise.all(others)).toEqual(["two", "two"]);
  expect(await cancelled).toBe("two");
  // If no request waits for a group, the next request starts another at once.
  void ask("b");
  await pass(LOOKUP_PATIENCE);
  const owner = ask("b");
  begun[3]?.resolve("of b");
  expect([begun.length, await owner]).toEqual([4, "of b"]);
});
