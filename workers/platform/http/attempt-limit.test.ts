import { expect, test } from "vitest";
import { createAttemptLimit, FAILED_ATTEMPTS_PER_MINUTE } from "./attempt-limit.ts";

function limitAt(start: number) {
  let now = start;
  const limit = createAttemptLimit(() => now);
  const fail = (times: number): void => {
    for (let count = 0; count < times; count += 1) limit.failed("192.0.2.1");
  };
  return { limit, fail, pass: (milliseconds: number) => (now += milliseconds) };
}

test("1.7 the 100th failure in a minute is the last that is heard", () => {
  const { limit, fail } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE - 1);
  expect(limit.refusal("192.0.2.1")).toBeUndefined();
  fail(1);
  expect(limit.refusal("192.0.2.1")).toMatchObject({ code: "rate_limited", retryAfter: 60 });
});

test("1.7 another address is not held back", () => {
  const { limit, fail } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE);
  expect(limit.refusal("192.0.2.2")).toBeUndefined();
});

test("1.7 a minute after the failures the address is heard again", () => {
  const { limit, fail, pass } = limitAt(0);
  fail(FAILED_ATTEMPTS_PER_MINUTE);
  pass(59_999);
  expect(limit.refusal("192.0.2.1")).toMatchObject({ retryAfter: 1 });
  pass(1);
  expect(limit.refusal("192.0.2.1")).toBeUndefined();
});
