/** How long a plugin's cached read is valid, and how many are kept. */
import { expect, test } from "vitest";
import { createKeptReads, KEPT_READ_MS, KEPT_READS } from "./run-context.ts";

function open() {
  let now = 0;
  let reads = 0;
  const kept = createKeptReads(() => now);
  return {
    pass: (milliseconds: number) => void (now += milliseconds),
    get: (revision: string | undefined, key = "key") => kept.get(revision, key, async () => (reads += 1)),
    fail: () => kept.get("1", "key", () => Promise.reject(new Error("not now"))),
  };
}

test("a read is cached for a minute at its revision, and never without a revision [OR-410]", async () => {
  expect(KEPT_READ_MS).toBe(60_000);
  const { get, pass } = open();
  expect([await get("1"), await get("1"), await get("2"), await get("2"), await get("1")]).toEqual([1, 1, 2, 2, 3]);
  pass(KEPT_READ_MS - 1);
  expect(await get("1")).toBe(3);
  pass(1);
  expect([await get("1"), await get(undefined), await get(undefined)]).toEqual([4, 5, 6]);
});

test("keys are independent, failed reads are repeated, and too many reads empty the cache", async () => {
  expect(KEPT_READS).toBe(32);
  const { get, fail } = open();
  await expect(fail()).rejects.toThrow("not now");
  expect([await get("1"), await get("1", "other"), await get("1")]).toEqual([1, 2, 1]);
  for (let key = 2; key <= KEPT_READS; key += 1) await get("1", String(key));
  expect(await get("1")).toBe(KEPT_READS + 2);
});
