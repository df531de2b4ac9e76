import { OfflineError, RequestError, SigningError, TurnError } from "@twinedge/sdk/core";
import { expect, test } from "vitest";
import { ApiFailure } from "../api/api-failure.ts";
import { chatTexts } from "../texts/chat.ts";
import { adviceForKind, asApiFailure, failureFacts } from "./failure-facts.ts";

const words = chatTexts.failures;
const refusal = (status: number, retryAfterMs?: number) =>
  new RequestError("Refused", { status, requestId: "req-1", retryAfterMs });

test.each([
  [401, words.unauthorized, undefined],
  [402, words.payment, "credits"],
  [404, words.gone, "new"],
  [409, words.full, "new"],
  [429, words.limited, undefined],
  [500, words.server, undefined],
  [400, words.other, undefined],
])("a %i says what to do, with the oracle's sentence and the request id [CN-137]", (status, advice, way) => {
  expect(failureFacts(refusal(status))).toEqual({ sentence: "Refused", advice, requestId: "req-1", way });
});

test("a 429 says how long to wait [CN-137]", () => {
  expect(failureFacts(refusal(429, 2_100)).advice).toBe(words.limitedFor(3));
});

test.each([
  [new OfflineError("No answer"), words.offline],
  [new SigningError("No signature"), words.signing],
  [new TurnError("Busy", { kind: "rate_limit", code: "x", retryable: true }), words.kinds["rate_limit"]],
  [new TurnError("Strange", { kind: "something", code: "x", retryable: true }), words.unknownKind],
  [new Error("Strange"), words.other],
])("%s says what to do [CN-137]", (error, advice) => {
  expect(failureFacts(error)).toMatchObject({ sentence: error.message, advice, requestId: undefined, way: undefined });
});

test("a panel's 401 does not ask for a registry key, which would not help [CN-137]", () => {
  const failure = asApiFailure(refusal(401));
  expect(failure).toBeInstanceOf(ApiFailure);
  expect(failure).toMatchObject({ status: 403, message: words.unauthorized, requestId: "req-1" });
});

test("a kind named like an inherited object member is unknown [CN-191]", () => {
  expect(adviceForKind("constructor")).toBe(words.unknownKind);
});
