/** Which throws are a 503 and which a 500. */
import { expect, test } from "vitest";
import { failureOfThrown } from "./failures.ts";

test.each([
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "Network connection lost.",
])("%s passes: try again", (message) => {
  const failure = failureOfThrown(new Error(message));
  expect(failure.code).toBe("unavailable");
  expect(failure.retryAfter).toBe(2);
  expect(failure.message).not.toContain("D1");
});

test.each([
  "D1_ERROR: no such table: domains: SQLITE_ERROR",
  "D1_ERROR: UNIQUE constraint failed: domains.id: SQLITE_CONSTRAINT",
  "D1_TYPE_ERROR: Type 'undefined' not supported",
  "Cannot read properties of undefined",
])("%s is a bug, and its text stays inside", (message) => {
  const failure = failureOfThrown(new Error(message));
  expect(failure.code).toBe("internal");
  expect(failure.message).not.toContain(message);
});

test("a thrown text is a bug too", () => {
  expect(failureOfThrown("anything").code).toBe("internal");
});
