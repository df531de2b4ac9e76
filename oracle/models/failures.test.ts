/** Maps any thrown value to an error kind of OR-70. */
import { APICallError } from "@ai-sdk/provider";
import { RetryError } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyFailure } from "./failures.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };
const NOW = Date.parse("2026-11-21T09:00:00Z");
const origin = { provider: "openai-compatible", providerLabel: "Model service" };
const classify = (error: unknown) => classifyFailure(error, origin, () => NOW);

function refusal(statusCode: number, responseHeaders: Record<string, string> = {}): APICallError {
  const secret = "key sk-secret at https://models.example";
  return new APICallError({
    message: secret,
    url: "https://models.example",
    requestBodyValues: { secret },
    statusCode,
    responseHeaders,
    responseBody: secret,
  });
}

describe("the wait that a provider asks for", () => {
  it.each([
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": "0.25" }, 250],
    [{ "retry-after": "Sat, 21 Nov 2026 09:01:30 GMT" }, 90_000],
    [{ "retry-after": "Sat, 21 Nov 2026 08:00:00 GMT" }, 0],
    [{ "retry-after": "3", "retry-after-ms": "120" }, 120],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%j is %s ms", (headers, milliseconds) => {
    const failure = classify(refusal(429, headers));
    expect(failure.kind).toBe("rate_limit");
    expect(failure.retryAfterMs).toBe(milliseconds);
  });
});

describe("wrappers [OR-70]", () => {
  it("are opened: retries, causes, both", () => {
    const last = new Error("outer", { cause: refusal(503) });
    const error = new RetryError({ message: "m", reason: "maxRetriesExceeded", errors: [refusal(429), last] });
    expect(classify(error)).toMatchObject({ kind: "server", status: 503 });
  });

  it("may be circular", () => {
    const error = new Error("a");
    error.cause = error;
    expect(classify(error)).toMatchObject({ kind: "unknown", source: "platform" });
  });
});

describe("what runtimes throw [OR-70]", () => {
  it.each([
    [new TypeError("terminated"), "network"],
    [new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }), "network"],
    [new Error("Network connection lost."), "network"],
    [new DOMException("late", "TimeoutError"), "timeout"],
    [new TypeError("x is not a function"), "unknown"],
  ])("%s is %s", (error, kind) => {
    expect(classify(error).kind).toBe(kind);
  });

  it("distinguishes our own faults from the provider's", () => {
    expect(classify(new TypeError("x is not a function"))).toMatchObject({ source: "platform" });
    expect(classify(refusal(422))).toMatchObject({ kind: "unknown", source: "provider", ...origin, status: 422 });
  });
});

describe("anything at all [OR-70]", () => {
  it("becomes a failure without any of its text", () => {
    const secret = "sk-4f9a1c-secret";
    const shape = fc.record(
      {
        message: fc.constant(secret),
        code: fc.oneof(fc.integer(), fc.constantFrom("rate_limit_exceeded", secret, "server_error")),
        status: fc.oneof(fc.integer(), fc.constant(secret)),
        statusCode: fc.integer({ min: 100, max: 700 }),
        cause: fc.anything(),
        lastError: fc.anything(),
        data: fc.anything(),
        error: fc.anything(),
        responseHeaders: fc.dictionary(fc.constantFrom("retry-after", "x"), fc.anything()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(shape, fc.anything(), fc.constant(new Error(secret))), (error) => {
        const failure = classify(error);
        expect(failure.message).toMatch(/^[A-Z][^/]*\.$/);
        expect(JSON.stringify(failure)).not.toContain(secret);
      }),
      runs,
    );
  });
});
