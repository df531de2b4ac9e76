/** The built-in model through the AI SDK. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { manualTimers } from "../../test/support/clocks/manual-timers.ts";
import { type ModelAnswer, askModel } from "../../test/support/oracle/model-answer.ts";
import { classifyFailure } from "./failures.ts";
import { createLocalModel } from "./local-model/model.ts";
import { MAX_CALLS, MAX_SLOW_PARTS, MAX_SLOW_PAUSE_MS } from "./local-model/answer.ts";

const runs = { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 100) };

function localModel(timers = manualTimers()) {
  let minted = 0;
  return createLocalModel({ modelId: "local", timers, mintId: () => `call_${(minted += 1)}` });
}

const ask = (text: string, more: Partial<Parameters<typeof askModel>[0]> = {}): Promise<ModelAnswer> =>
  askModel({ model: localModel(), messages: text, ...more });

const preferences = (...bullets: string[]): string =>
  ["You are Juno, an oracle.", ["## User preferences", ...bullets].join("\n"), "## Rules\nBe kind."].join("\n\n");

describe("echo [OR-136]", () => {
  it("comes in deltas of whole words", async () => {
    const answer = await ask("hello  there, oracle");
    expect(answer.deltas).toEqual(["You ", "said: ", "hello  ", "there, ", "oracle"]);
    expect(answer.usage).toEqual({ input: 3, output: 5 });
  });

  it.each([
    ['- userName: "Ada"', "Ada, You said: hello"],
    ['- agentName: "Juno"', "Juno: You said: hello"],
    ['- agentName: "Juno"\n- userName: "Ada"', "Juno: Ada, You said: hello"],
    ['- tone: "warm"', "You said: hello"],
  ])("with %s says %s", async (bullets, text) => {
    expect((await ask("hello", { system: preferences(bullets) })).text).toBe(text);
  });

  it("does not use the oracle's own name", async () => {
    expect((await ask("hello", { system: "You are Juno, an oracle." })).text).toBe("You said: hello");
  });

  it("answers the last message, not an older one", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "/tool t {}" },
      { role: "assistant", content: "There is no tool named t." },
      { role: "user", content: "hello" },
    ];
    expect((await ask("", { messages })).text).toBe("You said: hello");
  });

  it("adds a line per attachment that it can read", async () => {
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "see these" },
          { type: "text", text: "notes.txt: two stoves" },
        ],
      },
    ];
    expect((await ask("", { messages })).text).toBe("You said: see these\nnotes.txt: two stoves");
  });
});

describe("/tool [OR-136]", () => {
  it("makes the calls in order, with unique ids", async () => {
    const { calls, text } = await ask('/tool find {"query":"stove"}\n/tool find {"query":"pot"}\n/tool card', {
      tools: ["find", "card"],
    });
    expect(text).toBe("");
    expect(calls).toEqual([
      { id: "call_1", name: "find", input: { query: "stove" } },
      { id: "call_2", name: "find", input: { query: "pot" } },
      { id: "call_3", name: "card", input: {} },
    ]);
  });

  it("reads JSON over several lines", async () => {
    const { calls } = await ask('/tool find {\n  "query": "stove"\n}', { tools: ["find"] });
    expect(calls).toMatchObject([{ name: "find", input: { query: "stove" } }]);
  });

  it("reports the result of each call", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "/tool find {}" },
      {
        role: "assistant",
        content: ["a", "b", "c", "d"].map((id) => ({ type: "tool-call", toolCallId: id, toolName: "find", input: {} })),
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "find", output: { type: "json", value: [] } },
          { type: "tool-result", toolCallId: "b", toolName: "card", output: { type: "text", value: "Stove" } },
          { type: "tool-result", toolCallId: "c", toolName: "find", output: { type: "error-text", value: "broken" } },
          { type: "tool-result", toolCallId: "d", toolName: "find", output: { type: "json", value: { a: 1 } } },
        ],
      },
    ];
    expect((await ask("", { messages, tools: ["find"] })).text).toBe(
      'Tool find returned: []\nTool card returned: Stove\nTool find returned: broken\nTool find returned: {"a":1}',
    );
  });

  it.each([
    ["/tool missing {}", "There is no tool named missing.\n"],
    ["/tool find {broken", "The input of find must be a JSON object.\n"],
    ["/tool find [1]", "The input of find must be a JSON object.\n"],
  ])("%s is answered in words", async (command, text) => {
    expect(await ask(command, { tools: ["find"] })).toMatchObject({ text, calls: [] });
  });

  it("makes at most as many calls as one message may hold", async () => {
    const many = (count: number) => ask("/tool find\n".repeat(count), { tools: ["find"] });
    expect((await many(MAX_CALLS)).calls).toHaveLength(MAX_CALLS);
    expect(await many(MAX_CALLS + 1)).toMatchObject({ text: "One message may contain at most 32 calls.", calls: [] });
  });

  it("makes the valid calls besides an invalid one", async () => {
    const { text, calls } = await ask("/tool missing\n/tool find", { tools: ["find"] });
    expect(text).toBe("There is no tool named missing.\n");
    expect(calls).toMatchObject([{ name: "find" }]);
  });
});

describe("/slow [OR-136]", () => {
  it("waits between the parts, 100 ms by default", async () => {
    const timers = manualTimers();
    const asked = ask("/slow 3", { model: localModel(timers) });
    expect([await timers.ring(), await timers.ring()]).toEqual([100, 100]);
    expect((await asked).deltas).toEqual(["part 1 ", "part 2 ", "part 3 "]);
    expect(timers.pending).toBe(0);
  });

  it("streams each part as it is sent", async () => {
    const timers = manualTimers();
    const first = Promise.withResolvers<string>();
    const asked = ask("/slow 2 250", { model: localModel(timers), onDelta: first.resolve });
    expect(await first.promise).toBe("part 1 ");
    expect(await timers.ring()).toBe(250);
    expect((await asked).text).toBe("part 1 part 2 ");
  });

  it("does not wait at all with 0 ms", async () => {
    expect((await ask("/slow 2000 0")).deltas).toHaveLength(2000);
  });

  it("keeps to its limits", async () => {
    expect((await ask(`/slow ${MAX_SLOW_PARTS} 0`)).deltas).toHaveLength(MAX_SLOW_PARTS);
    expect((await ask(`/slow ${MAX_SLOW_PARTS + 1} 0`)).deltas).toHaveLength(MAX_SLOW_PARTS);
    const timers = manualTimers();
    const asked = ask(`/slow 2 ${MAX_SLOW_PAUSE_MS + 1}`, { model: localModel(timers) });
    expect(await timers.ring()).toBe(MAX_SLOW_PAUSE_MS);
    await asked;
  });

  it("stops at once when aborted during a wait", async () => {
    const timers = manualTimers();
    const turn = new AbortController();
    const answer = await ask("/slow 100 60000", {
      model: localModel(timers),
      signal: turn.signal,
      onDelta: () => turn.abort(),
    });
    expect(answer).toMatchObject({ text: "part 1 ", error: undefined });
    expect(timers.pending).toBe(0);
  });

  it("stops waiting when its reader leaves", async () => {
    const timers = manualTimers();
    const { stream } = await localModel(timers).doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "/slow 2 60000" }] }],
    });
    const reader = stream.getReader();
    for (let part = 0; part < 3; part += 1) await reader.read();
    const pending = reader.read();
    await reader.cancel();
    expect((await pending).done).toBe(true);
    expect(timers.pending).toBe(0);
  });
});

describe("/think and /fail [OR-136]", () => {
  it("thinks, then is done", async () => {
    expect(await ask("/think about stoves")).toMatchObject({ reasoning: "about stoves", text: "Done." });
  });

  it.each([
    ["rate_limit", { kind: "rate_limit", retryable: true, status: 429, retryAfterMs: 1000 }],
    ["timeout", { kind: "timeout", retryable: true }],
    ["server", { kind: "server", retryable: true, status: 500 }],
    ["network", { kind: "network", retryable: true }],
    ["unknown", { kind: "unknown", retryable: false }],
    ["billing", { kind: "unknown", retryable: false, status: 500 }],
    ["auth", { kind: "unknown", retryable: false, status: 500 }],
    ["nonsense", { kind: "unknown", retryable: false }],
  ])("fails with %s", async (kind, failure) => {
    const answer = await ask(`/fail ${kind}`);
    expect(answer.text).toBe("Starting ");
    const origin = { provider: "local", providerLabel: "Built-in development model" };
    expect(classifyFailure(answer.error, origin, Date.now)).toMatchObject(failure);
  });
});

describe("preferences", () => {
  const tools = ["set_user_preferences"];

  it("stores a wish with the tool", async () => {
    const { calls, text } = await ask("From now on call yourself Juno and answer briefly", { tools });
    expect(text).toBe("");
    expect(calls).toMatchObject([
      { name: "set_user_preferences", input: { agentName: "Juno", customInstructions: "answer briefly" } },
    ]);
  });

  it("keeps and extends the existing instructions", async () => {
    const system = preferences('- customInstructions: "cite sources"');
    const [call] = (await ask("from now on add a joke", { tools, system })).calls;
    expect(call?.input).toEqual({ customInstructions: "cite sources\nadd a joke" });
    const [again] = (await ask("from now on cite sources", { tools, system })).calls;
    expect(again?.input).toEqual({ customInstructions: "cite sources" });
  });

  it.each(["I am a farmer", "My name is Ada", "Answer this in French", "Make a list"])(
    "does not store: %s",
    async (text) => {
      expect(await ask(text, { tools })).toMatchObject({ calls: [], text: `You said: ${text}` });
    },
  );

  it("only repeats a wish when no tool can store it", async () => {
    expect(await ask("call me Ada")).toMatchObject({ calls: [], text: "You said: call me Ada" });
  });

  it("echoes the section", async () => {
    const system = preferences('- agentName: "Juno"', '- userName: "Ada"');
    const section = '## User preferences\n- agentName: "Juno"\n- userName: "Ada"';
    expect((await ask("What are my preferences?", { system })).text).toBe(section);
    expect((await ask("what are my preferences", { system: "You are O." })).text).toBe(
      "You have not set any preferences.",
    );
  });
});

describe("whole answers", () => {
  it("are the joined deltas, for any message", async () => {
    const command = fc.constantFrom("", "/think ", "/slow 3 0 ", "/tool find ", "/tool other ", "call me ");
    const texts = fc.tuple(command, fc.string({ unit: "grapheme" })).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(texts, async (said) => {
        const options: LanguageModelV4CallOptions = {
          prompt: [{ role: "user", content: [{ type: "text", text: said }] }],
          tools: [{ type: "function", name: "find", inputSchema: {} }],
        };
        const whole = await localModel().doGenerate(options);
        let text = "";
        let reasoning = "";
        for await (const part of (await localModel().doStream(options)).stream) {
          if (part.type === "text-delta") text += part.delta;
          if (part.type === "reasoning-delta") reasoning += part.delta;
        }
        const joined = (type: "text" | "reasoning"): string =>
          whole.content.map((part) => (part.type === type ? part.text : "")).join("");
        expect([joined("text"), joined("reasoning")]).toEqual([text, reasoning]);
      }),
      runs,
    );
  });

  it("fail as a whole", async () => {
    const options = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: "/fail server" }] }] };
    await expect(localModel().doGenerate(options)).rejects.toMatchObject({ statusCode: 500 });
  });
});
