import { expect, test } from "vitest";
import { createAttemptLimit, FAILED_ATTEMPTS_PER_MINUTE, guessabilityOf, UNGUESSABLE_LENGTH } from "./attempt-limit.ts";

const ADDRESS = "192.0.2.1";

function limitAt(start: number) {
  let now = start;
  const limit = createAttemptLimit(() => now);
  const fail = (times: number): void => {
    for (let count = 0; count < times; count += 1) limit.judge(ADDRESS, "wrong");
  };
  return { limit, fail, pass: (milliseconds: number) => (now += milliseconds) };
}

test("the 100th failure in a minute is the last that is refused as one; later ones wait [ALL-14]", () => {
  const { limit, fail } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE - 1);
  expect(limit.judge(ADDRESS, "wrong")).toBeUndefined();
  expect(limit.judge(ADDRESS, "wrong")).toMatchObject({ code: "rate_limited", retryAfter: 60 });
});

test("a right secret passes, whatever others sent; only a short one waits [ALL-14]", () => {
  const { limit, fail } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE);
  expect(limit.judge(ADDRESS, "beyond-guessing")).toBeUndefined();
  expect(limit.judge(ADDRESS, "guessable")).toMatchObject({ code: "rate_limited" });
  expect(UNGUESSABLE_LENGTH).toBe(16);
  expect(["k".repeat(15), "k".repeat(16)].map(guessabilityOf)).toEqual(["guessable", "beyond-guessing"]);
});

test("another address does not wait", () => {
  const { limit, fail } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE);
  expect(limit.judge("192.0.2.2", "wrong")).toBeUndefined();
});

test("a minute after the failures the address no longer waits", () => {
  const { limit, fail, pass } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE);
  pass(59_999);
  expect(limit.judge(ADDRESS, "guessable")).toMatchObject({ retryAfter: 1 });
  pass(1);
  expect(limit.judge(ADDRESS, "guessable")).toBeUndefined();
});
