/** Models of the AI binding, with a binding that implements its protocol: `run` answers with server-sent events. */
import { describe, expect, it } from "vitest";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import { askModel } from "../../test/support/oracle/model-answer.ts";
import { parseModelConfig } from "./config.ts";
import { createModelProvider } from "./provider.ts";
import type { AiBinding } from "./workers-ai.ts";
import { titleMeter } from "../../test/support/oracle/title-meter.ts";

const MODEL = "@cf/meta/llama-3.1-8b-instruct";
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const piece = (call: object): string => event({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] });
const DONE = "data: [DONE]\n\n";

/** Sends events one by one, then ends, breaks the connection, or stays silent. */
function eventStream(events: readonly string[], end: "close" | "break" | "hang" = "close") {
  const remaining = [...events];
  const cancelled = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = remaining.shift();
        if (next !== undefined) controller.enqueue(new TextEncoder().encode(next));
        else if (end === "close") controller.close();
        else if (end === "break") controller.error(new Error("Network connection lost."));
        else return new Promise<void>(() => undefined);
      },
      cancel: () => cancelled.resolve(),
    },
    { highWaterMark: 0 },
  );
  return { stream, cancelled: cancelled.promise };
}

function setUp(run: AiBinding["run"], timers = manualTimers()) {
  const config = parseModelConfig({
    LLM_PROVIDER: "workers-ai",
    AI: { run },
    DEFAULT_MODEL: MODEL,
    LLM_TIMEOUT_MS: "1234",
  });
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  return createModelProvider(config.value, { fetch, timers, ai: { run }, now: Date.now, mintId: () => "unused" });
}

describe("answers [OR-133]", () => {
  it("streams the words of a platform model", async () => {
    const asked: unknown[] = [];
    const timers = manualTimers();
    const models = setUp((model, inputs) => {
      asked.push({ model, inputs });
      const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
      const { stream } = eventStream([event({ response: "Good " }), event({ response: "day", usage }), DONE]);
      return Promise.resolve(stream);
    }, timers);
    const answer = await askModel({ model: models.model(undefined), messages: "hi", system: "You are Juno." });
    expect(answer).toMatchObject({ deltas: ["Good ", "day"], error: undefined, usage: { input: 5, output: 2 } });
    expect(asked).toMatchObject([
      {
        model: MODEL,
        inputs: {
          stream: true,
          messages: [
            { role: "system", content: "You are Juno." },
            { role: "user", content: "hi" },
          ],
        },
      },
    ]);
    expect(timers.pending).toBe(0);
  });

  it("assembles the pieces of a tool call", async () => {
    const models = setUp(() =>
      Promise.resolve(
        eventStream([
          piece({ id: "call_1", type: "function", function: { name: "find", arguments: "" } }),
          piece({ function: { arguments: '{"query":' } }),
          piece({ function: { arguments: '"stove"}' } }),
          event({ choices: [{ delta: {}, finish_reason: "tool_calls" }] }),
          DONE,
        ]).stream,
      ),
    );
    const { calls } = await askModel({ model: models.model(MODEL), messages: "find", tools: ["find"] });
    expect(calls).toMatchObject([{ name: "find", input: { query: "stove" } }]);
  });

  it("titles a session", async () => {
    const models = setUp(() => Promise.resolve({ response: "Clean stoves" }));
    expect(await models.title("Which stoves are clean?", new AbortController().signal, titleMeter())).toBe(
      "Clean stoves",
    );
  });
});

describe("failures [OR-70]", () => {
  it.each([
    ["InferenceUpstreamError: 3040: Capacity temporarily exceeded", { kind: "rate_limit", retryable: true }],
    ["3007: Timeout", { kind: "timeout", retryable: true }],
    ["5018: Account not allowed", { kind: "unknown", status: 500, retryable: false }],
    ["3042: No such model", { kind: "unknown", status: 404, retryable: false }],
    ["something else", { kind: "unknown", retryable: false }],
  ])("%s", async (message, failure) => {
    const models = setUp(() => Promise.reject(new Error(message)));
    const { error } = await askModel({ model: models.model(MODEL), messages: "hi" });
    expect(models.classify(error)).toMatchObject(failure);
  });

  it("does not accept a stream without its end as a complete answer", async () => {
    const models = setUp(() => Promise.resolve(eventStream([event({ response: "Half " })]).stream));
    const { text, error } = await askModel({ model: models.model(MODEL), messages: "hi" });
    expect(text).toBe("Half ");
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });

  it("reports a connection that breaks", async () => {
    const models = setUp(() => Promise.resolve(eventStream([event({ response: "Half " })], "break").stream));
    const { error } = await askModel({ model: models.model(MODEL), messages: "hi" });
    expect(models.classify(error)).toMatchObject({ kind: "network", retryable: true });
  });
});

describe("time [OR-134]", () => {
  it("ends the wait for the first answer, and aborts the binding's call", async () => {
    const timers = manualTimers();
    const signals: (AbortSignal | undefined)[] = [];
    const models = setUp((_, __, options) => {
      signals.push(options?.signal);
      return new Promise(() => undefined);
    }, timers);
    const asked = askModel({ model: models.model(MODEL), messages: "hi", maxRetries: 2 });
    expect(await timers.ring()).toBe(1234);
    expect(models.classify((await asked).error)).toMatchObject({ kind: "timeout", retryable: true });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it("ends the wait between two chunks, and releases the stream", async () => {
    const timers = manualTimers();
    const silent = eventStream([event({ response: "Half " })], "hang");
    const models = setUp(() => Promise.resolve(silent.stream), timers);
    const came = Promise.withResolvers<string>();
    const asked = askModel({ model: models.model(MODEL), messages: "hi", onDelta: came.resolve });
    expect(await came.promise).toBe("Half ");
    await timers.ring();
    expect(models.classify((await asked).error)).toMatchObject({ kind: "timeout" });
    await silent.cancelled;
  });

  it("releases the stream when the turn is aborted", async () => {
    const timers = manualTimers();
    const silent = eventStream([event({ response: "Half " })], "hang");
    const turn = new AbortController();
    const models = setUp(() => Promise.resolve(silent.stream), timers);
    const answer = await askModel({
      model: models.model(MODEL),
      messages: "hi",
      signal: turn.signal,
      onDelta: () => turn.abort(),
    });
    expect(answer.error).toBeUndefined();
    await silent.cancelled;
    expect(timers.pending).toBe(0);
  });
});
