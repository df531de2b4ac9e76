/** The machine-readable members of the oracle's errors, by the class of the failure. */
import { expect, test } from "vitest";
import { newFailure, type FailureCode } from "../failure.ts";
import { oracleError, oracleMembers } from "./error-bodies.ts";

const request = { method: "GET", path: "/", requestId: "req-42" };

test.each<[FailureCode, number, boolean]>([
  ["invalid_request", 400, false],
  ["unauthenticated", 401, true],
  ["payment_required", 402, false],
  ["forbidden", 403, true],
  ["not_found", 404, false],
  ["method_not_allowed", 405, false],
  ["request_timeout", 408, true],
  ["conflict", 409, false],
  ["gone", 410, false],
  ["too_large", 413, false],
  ["rate_limited", 429, true],
  ["internal", 500, false],
  ["upstream_failed", 502, true],
  ["unavailable", 503, true],
  ["storage_full", 507, false],
  ["deadline_exceeded", 504, true],
])("%s, a %i, is its own code, and retryable is %s [OR-191, OR-192]", async (code, statusCode, retryable) => {
  const response = oracleError(newFailure(code, "why"), request);
  expect(response.status).toBe(statusCode);
  expect(await response.json()).toMatchObject({ statusCode, message: "why", requestId: "req-42", code, retryable });
});

test("a narrower code and the failure's own decision win [OR-191, OR-192]", () => {
  const failure = newFailure("rate_limited", "why", { reason: "daily_turn_limit", retryable: false });
  expect(oracleMembers(failure)).toEqual({ code: "daily_turn_limit", retryable: false });
});
