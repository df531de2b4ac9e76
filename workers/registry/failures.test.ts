/** Which thrown errors become a 503 and which a 500. */
import { expect, test } from "vitest";
import { DatabaseFull } from "../../platform/database/database-size.ts";
import { failureOfThrown } from "./failures.ts";

test.each([
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: Internal error in D1 DB storage caused object to be reset.",
  "Network connection lost.",
])("%s is temporary and can be retried", (message) => {
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
])("%s is a bug, and its message is not disclosed", (message) => {
  const failure = failureOfThrown(new Error(message));
  expect(failure.code).toBe("internal");
  expect(failure.message).not.toContain(message);
});

test.each([
  "D1_ERROR: database or disk is full: SQLITE_FULL",
  "D1_ERROR: Exceeded maximum DB size",
  "the database has reached DATABASE_MAX_BYTES",
])("%s reports a full database [RG-204]", (message) => {
  const thrown = message.startsWith("the") ? new DatabaseFull() : new Error(message);
  expect(failureOfThrown(thrown)).toMatchObject({ code: "storage_full", reason: "storage_full" });
});

test("a thrown text is a bug", () => {
  expect(failureOfThrown("anything").code).toBe("internal");
});
