/**
 * The errors of `/fail <kind>`: what a real service's client would have thrown, so that the same classifier and the
 * same way through the turn are exercised.
 */
import { APICallError } from "@ai-sdk/provider";
import type { FailureKind } from "../../../../protocol/frames.ts";

const RATE_LIMIT_SECONDS = "1";

interface Refusal {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly isRetryable?: boolean;
  readonly cause?: Error;
}

const refusals: Readonly<Record<FailureKind, Refusal>> = {
  rate_limit: { statusCode: 429, responseHeaders: { "retry-after": RATE_LIMIT_SECONDS } },
  billing: { statusCode: 402 },
  auth: { statusCode: 401 },
  timeout: { statusCode: 408 },
  server: { statusCode: 500 },
  network: { isRetryable: true, cause: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) },
  unknown: {},
};

export function providerFailure(kind: FailureKind): APICallError {
  return new APICallError({
    message: `The local model was told to fail: ${kind}`,
    url: "local:model",
    requestBodyValues: {},
    ...refusals[kind],
  });
}
