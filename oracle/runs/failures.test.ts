/** The error codes of a run. */
import { expect, test } from "vitest";
import { errorCodes, runErrorCodes, type ErrorCode } from "../../protocol/errors.ts";
import type { FailureCode } from "../../platform/failure.ts";
import {
  answerTooLong,
  budgetExhausted,
  cutAnswers,
  interruptedRun,
  middlewareFailed,
  runErrorCodeOf,
  serverError,
  tooManySteps,
  unreadableRequest,
} from "./failures.ts";

const ofModel = { message: "", retryable: false, source: "provider" } as const;
const ofOracle = { ...ofModel, source: "platform" } as const;

test.each([
  [{ ...ofModel, kind: "billing" }, "model_billing"],
  [{ ...ofModel, kind: "auth" }, "model_auth"],
  [{ ...ofOracle, kind: "auth", detail: "delegation_required" }, "delegation_required"],
  [{ ...ofModel, kind: "rate_limit", detail: "model_retry" }, "model_retry"],
  [{ ...ofOracle, kind: "unknown", detail: "a_word_of_a_plugin" }, "notice"],
  [serverError, "run_failed"],
  [unreadableRequest, "message_unreadable"],
  [budgetExhausted("time"), "budget_exhausted"],
  [middlewareFailed("x"), "middleware_failed"],
  [interruptedRun, "run_interrupted"],
  [answerTooLong, "answer_too_long"],
  [tooManySteps(16), "too_many_steps"],
  [{ ...ofModel, kind: "unknown", ...cutAnswers.length }, "answer_cut_off"],
] as const)("%j is %s [OR-193]", (failure, code) => {
  expect(runErrorCodeOf(failure)).toBe(code);
});

test("codes are unique and in snake case, and every kind of failure has one [OR-191]", () => {
  expect(errorCodes.filter((code) => !/^[a-z]+(?:_[a-z]+)*$/.test(code))).toEqual([]);
  expect(new Set(errorCodes).size).toBe(errorCodes.length);
  expect(errorCodes).toEqual(expect.arrayContaining([...runErrorCodes]));
  // Does not compile when a kind of failure has no code.
  const wordOf = (code: FailureCode): ErrorCode => code;
  expect(errorCodes).toContain(wordOf("internal"));
});
