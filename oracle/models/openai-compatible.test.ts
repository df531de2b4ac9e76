/** The real client of OpenAI-compatible services against a small real server: answers, times, titles. */
import { describe, expect, it } from "vitest";
import { askModel } from "../../test/support/oracle/model-answer.ts";
import type { OpenAiReply } from "../../test/support/oracle/openai-replies.ts";
import { startOpenAiServer } from "../../test/support/oracle/openai-server.ts";
import { parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";
import { titleMeter } from "../../test/support/oracle/title-meter.ts";
import { openAiProvider } from "../../test/support/oracle/openai-provider.ts";

const openAi = openAiProvider();
const { provider } = openAi;

describe("answers [OR-133]", () => {
  it("streams text, thoughts and usage", async () => {
    openAi.server.enqueue({ kind: "answer", reasoning: ["Let me ", "think"], deltas: ["Good ", "day, ", "Ada"] });
    const answer = await askModel({ model: provider().model("small"), messages: "hi", system: "You are Juno." });
    expect(answer).toMatchObject({
      deltas: ["Good ", "day, ", "Ada"],
      reasoning: "Let me think",
      usage: { input: 5, output: 5 },
      error: undefined,
    });
    expect(openAi.server.requests[0]?.body).toMatchObject({
      model: "small",
      stream: true,
      messages: [
        { role: "system", content: "You are Juno." },
        { role: "user", content: "hi" },
      ],
    });
    expect(openAi.timers.pending).toBe(0);
  });

  it("assembles the pieces of parallel tool calls in order", async () => {
    const calls = [
      { id: "call_a", name: "find_stove", arguments: '{"query":"a stove","limit":3}' },
      { id: "call_b", name: "read_card", arguments: '{"did":"did:example:stove"}' },
    ];
    openAi.server.enqueue({ kind: "answer", deltas: ["Looking."], calls });
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
    expect(openAi.server.requests.map(({ model }) => model)).toEqual(["large", "large"]);
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

describe("time [OR-134]", () => {
  it("ends the wait for a service that never answers, and hangs up", async () => {
    openAi.server.enqueue({ kind: "hang" });
    const models = provider();
    const asked = askModel({ model: models.model("small"), messages: "hi", maxRetries: 2 });
    const request = await openAi.server.request(1);
    expect(await openAi.timers.ring()).toBe(1234);
    const { error } = await asked;
    expect(models.classify(error)).toMatchObject({ kind: "timeout", retryable: true });
    expect(await request.ended).toBe("dropped");
    expect(openAi.server.requests).toHaveLength(1);
  });

  it("ends the wait between two chunks", async () => {
    openAi.server.enqueue({ kind: "hang", deltas: ["Half ", "an "] });
    const models = provider();
    const came = Promise.withResolvers<void>();
    const asked = askModel({
      model: models.model("small"),
      messages: "hi",
      onDelta: (delta) => delta === "an " && came.resolve(),
    });
    await came.promise;
    expect(await openAi.timers.ring()).toBe(1234);
    const { error, text } = await asked;
    expect(text).toBe("Half an ");
    expect(models.classify(error)).toMatchObject({ kind: "timeout", retryable: true });
    expect(await openAi.server.requests[0]?.ended).toBe("dropped");
  });

  it("hangs up when the turn is aborted before the answer", async () => {
    openAi.server.enqueue({ kind: "hang" });
    const turn = new AbortController();
    const asked = askModel({ model: provider().model("small"), messages: "hi", signal: turn.signal, maxRetries: 2 });
    const request = await openAi.server.request(1);
    turn.abort();
    expect((await asked).error).toBeUndefined();
    expect(await request.ended).toBe("dropped");
    expect(openAi.timers.pending).toBe(0);
  });

  it("hangs up when the turn is aborted in the middle of the answer", async () => {
    openAi.server.enqueue({ kind: "hang", deltas: ["Half "] });
    const turn = new AbortController();
    const answer = await askModel({
      model: provider().model("small"),
      messages: "hi",
      signal: turn.signal,
      onDelta: () => turn.abort(),
    });
    expect(answer.error).toBeUndefined();
    expect(await openAi.server.requests[0]?.ended).toBe("dropped");
    expect(openAi.timers.pending).toBe(0);
  });
});

describe("titles", () => {
  const signal = new AbortController().signal;

  it("asks the default model and cleans up its answer", async () => {
    openAi.server.enqueue({ kind: "answer", deltas: ['"Clean stoves ', 'for Lusaka."\nExplanation'] });
    expect(await provider().title("Which stoves are clean?", signal, titleMeter())).toBe("Clean stoves for Lusaka");
    expect(openAi.server.requests[0]).toMatchObject({ model: "large" });
  });

  it.each<OpenAiReply>([
    { kind: "status", status: 500 },
    { kind: "answer", deltas: [" "] },
    { kind: "cut", deltas: [] },
  ])("falls back to the rule: %j", async (reply) => {
    openAi.server.enqueue(reply);
    expect(await provider().title("Which stoves are clean?", signal, titleMeter())).toBe("Which stoves are clean?");
    expect(openAi.server.requests).toHaveLength(1);
  });

  it("counts the most before the call, then the reported usage; does not ask without room, and counts nothing for a service error [OR-459]", async () => {
    const meter = titleMeter();
    openAi.server.enqueue({ kind: "answer", deltas: ["Clean stoves"] });
    await provider().title("Which stoves are clean?", signal, meter);
    const [most = 0, used] = meter.counted;
    expect(most).toBeGreaterThan(256);
    // The service counts 5 for its prompt and 1 for each delta.
    expect(used).toBe(6);
    const failing = titleMeter();
    openAi.server.enqueue({ kind: "status", status: 500 });
    await provider().title("Which stoves are clean?", signal, failing);
    expect(failing.counted).toEqual([most, 0]);
    expect(await provider().title("Which stoves are clean?", signal, titleMeter(false))).toBe(
      "Which stoves are clean?",
    );
    expect(openAi.server.requests).toHaveLength(2);
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
      timers: openAi.timers,
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
