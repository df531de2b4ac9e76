/** The real client for OpenAI-compatible services against a small real server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ModelProvider } from "./model-port.ts";
import { manualTimers, type ManualTimers } from "../../test/support/clocks/manual-timers.ts";
import { askModel } from "../../test/support/oracle/model-answer.ts";
import type { OpenAiReply } from "../../test/support/oracle/openai-replies.ts";
import { startOpenAiServer, type OpenAiServer } from "../../test/support/oracle/openai-server.ts";
import { parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";
import { titleMeter } from "../../test/support/oracle/title-meter.ts";

const KEY = "sk-secret-of-the-operator";
let server: OpenAiServer;
let timers: ManualTimers;

beforeEach(async () => {
  server = await startOpenAiServer({ apiKey: KEY });
  timers = manualTimers();
});
afterEach(() => server.close());

function provider(env: Record<string, string> = {}): ModelProvider {
  const config = parseModelConfig({
    LLM_PROVIDER: "openai-compatible",
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_API_KEY: KEY,
    MODELS: '[{"id":"small"},{"id":"large","isDefault":true}]',
    LLM_TIMEOUT_MS: "1234",
    ...env,
  });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return createModelProvider(config.value, { fetch, timers, now: Date.now, mintId: () => "unused" });
}

async function failureOf(reply: OpenAiReply, env: Record<string, string> = {}) {
  server.enqueue(reply);
  const models = provider(env);
  const { error, text } = await askModel({ model: models.model("small"), messages: "hi" });
  expect(error).toBeDefined();
  return { failure: models.classify(error), text };
}

describe("answers [OR-133]", () => {
  it("streams text, thoughts and usage", async () => {
    server.enqueue({ kind: "answer", reasoning: ["Let me ", "think"], deltas: ["Good ", "day, ", "Ada"] });
    const answer = await askModel({ model: provider().model("small"), messages: "hi", system: "You are Juno." });
    expect(answer).toMatchObject({
      deltas: ["Good ", "day, ", "Ada"],
      reasoning: "Let me think",
      usage: { input: 5, output: 5 },
      error: undefined,
    });
    expect(server.requests[0]?.body).toMatchObject({
      model: "small",
      stream: true,
      messages: [
        { role: "system", content: "You are Juno." },
        { role: "user", content: "hi" },
      ],
    });
    expect(timers.pending).toBe(0);
  });

  it("assembles the pieces of parallel tool calls in order", async () => {
    const calls = [
      { id: "call_a", name: "find_stove", arguments: '{"query":"a stove","limit":3}' },
      { id: "call_b", name: "read_card", arguments: '{"did":"did:example:stove"}' },
    ];
    server.enqueue({ kind: "answer", deltas: ["Looking."], calls });
    const answer = await askModel({
      model: provider().model("small"),
      messages: "find",
      tools: ["find_stove", "read_card"],
    });
    expect(answer.text).toBe("Looking.");
    expect(answer.calls).toEqual([
      { id: "call_a", name: "find_stove", input: { query: "a stove", limit: 3 } },
      { id: "call_b", name: "read_card", input: { did: "did:example:stove" } },
    ]);
  });

  it("asks the default model for an unknown id and for none", async () => {
    const models = provider();
    await askModel({ model: models.model("no-such-model"), messages: "hi" });
    await askModel({ model: models.model(undefined), messages: "hi" });
    expect(server.requests.map(({ model }) => model)).toEqual(["large", "large"]);
  });

  it("works without a key when the service requires none", async () => {
    const open = await startOpenAiServer();
    try {
      const models = provider({ OPENAI_BASE_URL: `${open.baseUrl}/`, OPENAI_API_KEY: "" });
      expect((await askModel({ model: models.model("small"), messages: "hello there" })).text).toBe(
        "You said: hello there",
      );
      expect(open.requests[0]?.authorization).toBeUndefined();
    } finally {
      await open.close();
    }
  });
});

describe("failures [OR-70]", () => {
  it.each([
    [401, "a wrong key"],
    [402, "an unpaid account"],
    [403, "a refused key"],
  ])("reports %i (%s) as an error of ours", async (status) => {
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

  it("reports an exhausted quota as an account problem, though its status is 429", async () => {
    const { failure } = await failureOf({ kind: "status", status: 429, code: "insufficient_quota" });
    expect(failure).toMatchObject({ kind: "unknown", status: 500, retryable: false });
  });

  it("reports a rate limit and how long to wait", async () => {
    const { failure } = await failureOf({ kind: "status", status: 429, headers: { "Retry-After": "7" } });
    expect(failure).toMatchObject({ kind: "rate_limit", status: 429, retryable: true, retryAfterMs: 7000 });
  });

  it.each([500, 503])("reports %i as the service's error", async (status) => {
    const { failure } = await failureOf({ kind: "status", status });
    expect(failure).toMatchObject({ kind: "server", status, retryable: true, source: "provider" });
  });

  it("reports 404 as unknown and not worth a retry", async () => {
    const { failure } = await failureOf({ kind: "status", status: 404 });
    expect(failure).toMatchObject({ kind: "unknown", status: 404, retryable: false });
  });

  it("reports 408 as a timeout", async () => {
    expect((await failureOf({ kind: "status", status: 408 })).failure).toMatchObject({ kind: "timeout" });
  });

  it("keeps the text that came before the connection broke", async () => {
    const came = Promise.withResolvers<void>();
    server.enqueue({ kind: "cut", deltas: ["Half ", "an "], when: came.promise });
    const models = provider();
    const { error, text } = await askModel({
      model: models.model("small"),
      messages: "hi",
      onDelta: (delta) => delta === "an " && came.resolve(),
    });
    expect(text).toBe("Half an ");
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });

  it("does not accept a stream without its end as a complete answer", async () => {
    const { failure } = await failureOf({ kind: "truncated", deltas: ["Half "] });
    expect(failure).toMatchObject({ kind: "network", retryable: true });
  });

  it("reports a service that cannot be reached", async () => {
    await server.close();
    const models = provider();
    const { error } = await askModel({ model: models.model("small"), messages: "hi" });
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
    server = await startOpenAiServer();
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

  it("reports chunks that are not JSON as the service's failure", async () => {
    expect((await failureOf({ kind: "garbled", deltas: ["Half "] })).failure.kind).toBe("server");
  });

  it("never repeats the service's text, the key or the address", async () => {
    for (const status of [400, 401, 404, 429, 500]) {
      const shown = JSON.stringify((await failureOf({ kind: "status", status })).failure);
      expect(shown).not.toMatch(/sk-|127\.0\.0\.1|http|organization|org-internal|processing the request/);
    }
  });
});

describe("time [OR-134]", () => {
  it("ends the wait for a service that never answers, and disconnects", async () => {
    server.enqueue({ kind: "hang" });
    const models = provider();
    const asked = askModel({ model: models.model("small"), messages: "hi", maxRetries: 2 });
    const request = await server.request(1);
    expect(await timers.ring()).toBe(1234);
    const { error } = await asked;
    expect(models.classify(error)).toMatchObject({ kind: "timeout", retryable: true });
    expect(await request.ended).toBe("dropped");
    expect(server.requests).toHaveLength(1);
  });

  it("ends the wait between two chunks", async () => {
    server.enqueue({ kind: "hang", deltas: ["Half ", "an "] });
    const models = provider();
    const came = Promise.withResolvers<void>();
    const asked = askModel({
      model: models.model("small"),
      messages: "hi",
      onDelta: (delta) => delta === "an " && came.resolve(),
    });
    await came.promise;
    expect(await timers.ring()).toBe(1234);
    const { error, text } = await asked;
    expect(text).toBe("Half an ");
    expect(models.classify(error)).toMatchObject({ kind: "timeout", retryable: true });
    expect(await server.requests[0]?.ended).toBe("dropped");
  });

  it("disconnects when the turn is aborted before the answer", async () => {
    server.enqueue({ kind: "hang" });
    const turn = new AbortController();
    const asked = askModel({ model: provider().model("small"), messages: "hi", signal: turn.signal, maxRetries: 2 });
    const request = await server.request(1);
    turn.abort();
    expect((await asked).error).toBeUndefined();
    expect(await request.ended).toBe("dropped");
    expect(timers.pending).toBe(0);
  });

  it("disconnects when the turn is aborted during the answer", async () => {
    server.enqueue({ kind: "hang", deltas: ["Half "] });
    const turn = new AbortController();
    const answer = await askModel({
      model: provider().model("small"),
      messages: "hi",
      signal: turn.signal,
      onDelta: () => turn.abort(),
    });
    expect(answer.error).toBeUndefined();
    expect(await server.requests[0]?.ended).toBe("dropped");
    expect(timers.pending).toBe(0);
  });
});

describe("retries", () => {
  const soon = { "retry-after-ms": "1" };

  it("retries temporary failures: 429, then 503, then the answer", async () => {
    server.enqueue(
      { kind: "status", status: 429, headers: soon },
      { kind: "status", status: 503, headers: soon },
      { kind: "answer", deltas: ["Here."] },
    );
    const models = provider();
    const answer = await askModel({ model: models.model("small"), messages: "hi", maxRetries: models.maxRetries });
    expect(answer).toMatchObject({ text: "Here.", error: undefined });
    expect(server.requests).toHaveLength(3);
  });

  it("stops after the configured number and reports the last failure", async () => {
    server.enqueue(
      { kind: "status", status: 500, headers: soon },
      { kind: "status", status: 429, headers: { ...soon, "Retry-After": "3" } },
    );
    const models = provider({ LLM_MAX_RETRIES: "1" });
    const { error } = await askModel({ model: models.model("small"), messages: "hi", maxRetries: models.maxRetries });
    expect(models.classify(error)).toMatchObject({ kind: "rate_limit", retryAfterMs: 1 });
    expect(server.requests).toHaveLength(2);
  });

  it("lets the SDK retry a connection that could not be made, even in workerd's wording", async () => {
    const config = parseModelConfig({ LLM_PROVIDER: "openai-compatible", OPENAI_API_KEY: KEY, DEFAULT_MODEL: "small" });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const models = createModelProvider(config.value, {
      fetch: () => Promise.reject(new Error("Network connection lost.")),
      timers,
      now: Date.now,
      mintId: () => "unused",
    });
    const { error } = await askModel({ model: models.model(undefined), messages: "hi" });
    expect(error).toMatchObject({ isRetryable: true });
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });

  it("does not retry a refused key", async () => {
    server.enqueue({ kind: "status", status: 401 });
    await askModel({ model: provider().model("small"), messages: "hi", maxRetries: 2 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("redirects", () => {
  it("never sends the key to another host", async () => {
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

describe("titles", () => {
  const signal = new AbortController().signal;

  it("asks the default model and cleans up its answer", async () => {
    server.enqueue({ kind: "answer", deltas: ['"Clean stoves ', 'for Lusaka."\nExplanation'] });
    expect(await provider().title("Which stoves are clean?", signal, titleMeter())).toBe("Clean stoves for Lusaka");
    expect(server.requests[0]).toMatchObject({ model: "large" });
  });

  it.each<OpenAiReply>([
    { kind: "status", status: 500 },
    { kind: "answer", deltas: [" "] },
    { kind: "cut", deltas: [] },
  ])("falls back to the rule: %j", async (reply) => {
    server.enqueue(reply);
    expect(await provider().title("Which stoves are clean?", signal, titleMeter())).toBe("Which stoves are clean?");
    expect(server.requests).toHaveLength(1);
  });

  it("counts the most before the call, then the reported usage; does not ask without room, and counts nothing for a service error [OR-459]", async () => {
    const meter = titleMeter();
    server.enqueue({ kind: "answer", deltas: ["Clean stoves"] });
    await provider().title("Which stoves are clean?", signal, meter);
    const [most = 0, used] = meter.counted;
    expect(most).toBeGreaterThan(256);
    // The service counts 5 for its prompt and 1 for each delta.
    expect(used).toBe(6);
    const failing = titleMeter();
    server.enqueue({ kind: "status", status: 500 });
    await provider().title("Which stoves are clean?", signal, failing);
    expect(failing.counted).toEqual([most, 0]);
    expect(await provider().title("Which stoves are clean?", signal, titleMeter(false))).toBe(
      "Which stoves are clean?",
    );
    expect(server.requests).toHaveLength(2);
  });
});

it("sends OpenAI's own address the parameter that all its models read, any other service the older one [OR-454]", async () => {
  const sent: unknown[] = [];
  const ask = async (baseUrl: string) => {
    const config = parseModelConfig({
      LLM_PROVIDER: "openai-compatible",
      OPENAI_BASE_URL: baseUrl,
      DEFAULT_MODEL: "m",
    });
    if (!config.ok) throw new Error(JSON.stringify(config.error));
    const models = createModelProvider(config.value, {
      fetch: async (_, init) => {
        sent.push(JSON.parse(String(init?.body)));
        return new Response("", { status: 500 });
      },
      timers,
      now: Date.now,
      mintId: () => "unused",
    });
    await models.title("hi", new AbortController().signal, titleMeter());
  };
  await ask("https://api.openai.com/v1");
  await ask("https://openai.com.example.org/v1");
  expect(sent).toMatchObject([{ max_completion_tokens: 256 }, { max_tokens: 256 }]);
  expect(sent[0]).not.toHaveProperty("max_tokens");
});
