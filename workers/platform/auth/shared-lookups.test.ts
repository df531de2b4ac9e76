/** Lookups that requests share: how many are made, and what becomes of the others when one falls silent. */
import { expect, test } from "vitest";
import { manualTimers } from "../../../test/support/manual-timers.ts";
import { createSharedLookups, LOOKUP_PATIENCE } from "./shared-lookups.ts";

/** Lookups that answer when the test says so, in the order in which they began. */
function setUp() {
  const timers = manualTimers();
  const begun: PromiseWithResolvers<string>[] = [];
  const share = createSharedLookups<string>(() => 0, timers.after);
  const ask = (key: string): Promise<string> =>
    share(key, () => {
      const lookup = Promise.withResolvers<string>();
      begun.push(lookup);
      return lookup.promise;
    });
  return { begun, ask, timers };
}

test("one lookup answers all who ask meanwhile; who asks afterwards begins another [OR-16]", async () => {
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

test("different keys have lookups of their own", async () => {
  const { begun, ask } = setUp();
  const answers = [ask("a"), ask("b")];
  begun[0]?.resolve("of a");
  begun[1]?.resolve("of b");
  expect(await Promise.all(answers)).toEqual(["of a", "of b"]);
});

test("a lookup that throws throws for all, and is not shared any longer", async () => {
  const { begun, ask } = setUp();
  const answers = [ask("a"), ask("a")];
  begun[0]?.reject(new Error("broken"));
  for (const outcome of await Promise.allSettled(answers)) expect(outcome.status).toBe("rejected");
  const later = ask("a");
  begun[1]?.resolve("two");
  expect(await later).toBe("two");
});

test("when the one that began it falls silent, the next begins one for all who are left", async () => {
  expect(LOOKUP_PATIENCE).toBe(1_000);
  const { begun, ask, timers } = setUp();
  const silent = ask("a");
  const second = ask("a");
  const third = ask("a");
  expect(await timers.ring()).toBe(LOOKUP_PATIENCE);
  expect(await timers.ring()).toBe(LOOKUP_PATIENCE);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve("two");
  expect(await Promise.all([second, third])).toEqual(["two", "two"]);
  expect(begun).toHaveLength(2);
  begun[0]?.resolve("late");
  expect(await silent).toBe("late");
});
