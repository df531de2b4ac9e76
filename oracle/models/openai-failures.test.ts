/** Failures of OpenAI-compatible services: their kinds, retries and redirects. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { askModel } from "../../test/support/oracle/model-answer.ts";
import type { OpenAiReply } from "../../test/support/oracle/openai-replies.ts";
import { startOpenAiServer } from "../../test/support/oracle/openai-server.ts";
import { parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";
import { openAiProvider } from "../../test/support/oracle/openai-provider.ts";

const openAi = openAiProvider();
const { KEY, provider } = openAi;

async function failureOf(reply: OpenAiReply, env: Record<string, string> = {}) {
  openAi.server.enqueue(reply);
  const models = provider(env);
  const { error, text } = await askModel({ model: models.model("small"), messages: "hi" });
  expect(error).toBeDefined();
  return { failure: models.classify(error), text };
}

describe("failures [OR-70]", () => {
  it.each([
    [401, "a wrong key"],
    [402, "an unpaid account"],
    [403, "a refused key"],
  ])("shows %i (%s) as a fault of this service", async (status) => {
    const { failure } = await failureOf({ kind: "status", status });
    expect(failure).toEqual({
      kind: "unknown",
      code: "model_unavailable",
      status: 500,
      retryable: false,
      source: "platform",
      message: expect.any(String) as string,
    });
  });

  it("takes a quota that is used up for a matter of the account, though its status is 429", async () => {
    const { failure } = await failureOf({ kind: "status", status: 429, code: "insufficient_quota" });
    expect(failure).toMatchObject({ kind: "unknown", status: 500, retryable: false });
  });

  it("tells a rate limit and how long to wait", async () => {
    const { failure } = await failureOf({ kind: "status", status: 429, headers: { "Retry-After": "7" } });
    expect(failure).toMatchObject({ kind: "rate_limit", status: 429, retryable: true, retryAfterMs: 7000 });
  });

  it.each([500, 503])("tells %i as the service's", async (status) => {
    const { failure } = await failureOf({ kind: "status", status });
    expect(failure).toMatchObject({ kind: "server", status, retryable: true, source: "provider" });
  });

  it("tells 404 as unknown and not worth a repetition", async () => {
    const { failure } = await failureOf({ kind: "status", status: 404 });
    expect(failure).toMatchObject({ kind: "unknown", status: 404, retryable: false });
  });

  it("tells 408 as a time-out", async () => {
    expect((await failureOf({ kind: "status", status: 408 })).failure).toMatchObject({ kind: "timeout" });
  });

  it("keeps the text that came before the connection was cut", async () => {
    const came = Promise.withResolvers<void>();
    openAi.server.enqueue({ kind: "cut", deltas: ["Half ", "an "], when: came.promise });
    const models = provider();
    const { error, text } = await askModel({
      model: models.model("small"),
      messages: "hi",
      onDelta: (delta) => delta === "an " && came.resolve(),
    });
    expect(text).toBe("Half an ");
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });

  it("does not take a stream without its end for a whole answer", async () => {
    const { failure } = await failureOf({ kind: "truncated", deltas: ["Half "] });
    expect(failure).toMatchObject({ kind: "network", retryable: true });
  });

  it("tells a service that cannot be reached", async () => {
    await openAi.server.close();
    const models = provider();
    const { error } = await askModel({ model: models.model("small"), messages: "hi" });
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
    openAi.server = await startOpenAiServer();
  });

  it.each([
    [{ message: "slow down", type: "requests", code: "rate_limit_exceeded" }, "rate_limit"],
    [{ message: "boom", type: "server_error", code: null }, "server"],
    [{ message: "upstream", code: 502 }, "server"],
    [{ message: "no money", code: "insufficient_quota" }, "unknown"],
  ])("reads an error inside the stream: %j", async (error, kind) => {
    const { failure, text } = await failureOf({ kind: "error", deltas: ["Half "], error });
    expect(text).toBe("Half ");
    expect(failure.kind).toBe(kind);
  });

  it("tells chunks that are no JSON as the service's failure", async () => {
    expect((await failureOf({ kind: "garbled", deltas: ["Half "] })).failure.kind).toBe("server");
  });

  it("never repeats what the service said, nor key nor address", async () => {
    for (const status of [400, 401, 404, 429, 500]) {
      const shown = JSON.stringify((await failureOf({ kind: "status", status })).failure);
      expect(shown).not.toMatch(/sk-|127\.0\.0\.1|http|organization|org-internal|processing the request/);
    }
  });
});

describe("repetitions", () => {
  const soon = { "retry-after-ms": "1" };

  it("repeats what may pass: 429, then 503, then the answer", async () => {
    openAi.server.enqueue(
      { kind: "status", status: 429, headers: soon },
      { kind: "status", status: 503, headers: soon },
      { kind: "answer", deltas: ["Here."] },
    );
    const models = provider();
    const answer = await askModel({ model: models.model("small"), messages: "hi", maxRetries: models.maxRetries });
    expect(answer).toMatchObject({ text: "Here.", error: undefined });
    expect(openAi.server.requests).toHaveLength(3);
  });

  it("stops after the configured number and tells the last failure", async () => {
    openAi.server.enqueue(
      { kind: "status", status: 500, headers: soon },
      { kind: "status", status: 429, headers: { ...soon, "Retry-After": "3" } },
    );
    const models = provider({ LLM_MAX_RETRIES: "1" });
    const { error } = await askModel({ model: models.model("small"), messages: "hi", maxRetries: models.maxRetries });
    expect(models.classify(error)).toMatchObject({ kind: "rate_limit", retryAfterMs: 1 });
    expect(openAi.server.requests).toHaveLength(2);
  });

  it("lets the SDK repeat what failed for want of a connection, also as workerd words it", async () => {
    const config = parseModelConfig({ LLM_PROVIDER: "openai-compatible", OPENAI_API_KEY: KEY, DEFAULT_MODEL: "small" });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const models = createModelProvider(config.value, {
      fetch: () => Promise.reject(new Error("Network connection lost.")),
      timers: openAi.timers,
      now: Date.now,
      mintId: () => "unused",
    });
    const { error } = await askModel({ model: models.model(undefined), messages: "hi" });
    expect(error).toMatchObject({ isRetryable: true });
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });

  it("does not repeat a refused key", async () => {
    openAi.server.enqueue({ kind: "status", status: 401 });
    await askModel({ model: provider().model("small"), messages: "hi", maxRetries: 2 });
    expect(openAi.server.requests).toHaveLength(1);
  });
});

describe("redirects", () => {
  it("never carries the key to another place", async () => {
    const visits: string[] = [];
    const elsewhere = createServer((request, response) => {
      visits.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    for (const status of [301, 302, 307, 308]) {
      const location = `http://127.0.0.1:${port}/v1/chat/completions`;
      const { failure } = await failureOf({ kind: "status", status, headers: { Location: location } });
      expect(failure).toMatchObject({ kind: "unknown", status, retryable: false });
    }
    expect(visits).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });
});
