/** Requests per minute, per key and per address. */
import { expect, test } from "vitest";
import { createRequestRates } from "./http/request-rates.ts";

test("the limit is exact, per kind and per caller, and the window slides", () => {
  let now = 1_000_000;
  const rates = createRequestRates({ read: 3, write: 1, public: 2 }, () => now);
  const left = (kind: "read" | "write" | "public", who: string): number | "no" => {
    const { admitted, remaining } = rates.take(kind, who);
    return admitted ? remaining : "no";
  };
  expect([left("read", "a"), left("read", "a"), left("read", "a"), left("read", "a")]).toEqual([2, 1, 0, "no"]);
  expect([left("write", "a"), left("write", "a")]).toEqual([0, "no"]);
  expect([left("read", "b"), left("public", "a")]).toEqual([2, 1]);
  now += 59_999;
  expect(left("read", "a")).toBe("no");
  now += 1;
  expect(left("read", "a")).toBe(2);
});

test("a caller that waits for Retry-After is accepted", () => {
  let now = 0;
  const rates = createRequestRates({ read: 1, write: 1, public: 1 }, () => now);
  rates.take("read", "a");
  now += 500;
  const { admitted, retryAfter } = rates.take("read", "a");
  expect([admitted, retryAfter]).toEqual([false, 60]);
  now += retryAfter * 1000;
  expect(rates.take("read", "a").admitted).toBe(true);
});
