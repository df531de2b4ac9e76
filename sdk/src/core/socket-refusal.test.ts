import { expect, test } from "vitest";
import { afterRefusal, delayAfter, readRefusal, STABLE_UNTIL_LOST_MS, statusOf, wasStable } from "./socket-refusal.ts";

const refusal = (message: string, data?: object) => readRefusal(Object.assign(new Error(message), { data }));

test.each([
  ["renew", 401, refusal("Unauthorized: …", { code: "missing_authentication", retryable: true })],
  ["renew", 401, refusal("Unauthorized: …", { code: "invalid_delegation", retryable: true })],
  ["renew", 400, refusal("Unauthorized: …")],
  ["stop", 403, refusal("Origin not allowed", { code: "forbidden", retryable: false })],
  ["stop", 404, refusal("Session not found", { code: "not_found", retryable: false })],
  ["stop", 404, refusal("Session not found")],
  ["stop", 400, refusal("sessionId is required", { code: "invalid_request", retryable: false })],
  ["later", 400, refusal("Too many requests", { code: "rate_limited", retryable: true })],
  ["later", 400, refusal("The oracle cannot be reached now", { code: "unavailable", retryable: true })],
  ["stop", 400, refusal("something else", { code: 7, retryable: "yes" })],
])("%s, %d [SD-93, SD-94]", (next, status, refused) => {
  expect([afterRefusal(refused), statusOf(refused)]).toEqual([next, status]);
});

test("attempts come after 0.5 to 1 second, doubled with each failure, at most 30 [SD-94]", () => {
  const least = [0, 1, 4, 5, 50].map((failures) => delayAfter(failures, 0));
  const most = [0, 1, 4, 5, 50].map((failures) => delayAfter(failures, 1));
  expect([least, most]).toEqual([
    [500, 1000, 8000, 15_000, 15_000],
    [1000, 2000, 16_000, 30_000, 30_000],
  ]);
});

test.each([
  [0, false],
  [STABLE_UNTIL_LOST_MS - 1, false],
  [0, true],
  [29_999, true],
])("a connection that always ends after %d ms is not retried every second [SD-94]", (lasted, isEnded) => {
  let [now, attempts, failures] = [0, 0, 0];
  for (; now < 60_000 + lasted; attempts += 1) {
    if (wasStable(lasted, isEnded)) failures = 0;
    now += lasted + delayAfter(failures, 0);
    failures += 1;
  }
  expect(attempts).toBeLessThan(9);
});

test("after a connection that was stable for a while, the retry is immediate [SD-94]", () => {
  expect([wasStable(5000, false), wasStable(30_000, true)]).toEqual([true, true]);
});
