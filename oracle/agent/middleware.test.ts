/** Plugin middleware: ending a turn, failing, changing text, requests and results. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, textOf, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay, playTurn, promptsOf, recordsOf } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import type { AgentMiddleware, CallModel, EndTurn } from "../framework/middleware.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { JsonObject } from "../../platform/json.ts";
import { createLogger } from "../../platform/log.ts";
import { ANSWER_SIZE } from "../runs/active-run.ts";
import type { Run } from "../runs/run-store.ts";
import { createHooks } from "./hooks.ts";
import type { ModelCallRequest } from "../framework/model-call.ts";

const around = (...middlewares: AgentMiddleware[]): PluginDefinition =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });

const asking: readonly (readonly Beat[])[] = [["Let me see.", calling("look")], ["Here it is."]];
const end: EndTurn = { jumpTo: "end", message: "Enough." };
const broken = (): never => {
  throw new Error("broken hook");
};

const noticesOf = (frames: readonly ReadFrame[]) =>
  frames.filter(({ event }) => event === "error").map(({ data }) => data);

describe("a hook ends the turn with its message [OR-156]", () => {
  const cases: readonly [string, Partial<AgentMiddleware>, string, number][] = [
    ["beforeAgent", { beforeAgent: () => end }, "Enough.", 0],
    ["beforeModel", { beforeModel: ({ step }) => (step === 1 ? end : undefined) }, "Let me see.\n\nEnough.", 1],
    ["wrapModelCall", { wrapModelCall: async () => end }, "Enough.", 0],
    [
      "wrapModelCall after the model",
      { wrapModelCall: async (request, next) => (await next(request), end) },
      "Let me see.\n\nEnough.",
      1,
    ],
    ["afterModel", { afterModel: () => end }, "Let me see.\n\nEnough.", 1],
    ["wrapToolCall", { wrapToolCall: async () => end }, "Let me see.\n\nEnough.", 1],
  ];

  test.each(cases)("%s", async (_, hooks, text, asked) => {
    const after: number[] = [];
    const { model, session, frames, done } = await playTurn(asking, [
      around({ name: "gate", ...hooks, afterAgent: ({ step }) => void after.push(step) }),
    ]);
    expect(done).toMatchObject({ status: "finished", finishReason: "stop" });
    expect([textOf(frames), model.asked.length, after.length]).toEqual([text, asked, 1]);
    expect((await recordsOf(session))[1]?.content).toBe(text);
    expect(noticesOf(frames)).toEqual([]);
    expect(session.logged.map(({ event }) => event)).toContain("middleware-ended-turn");
  });

  test("when the inner of two hooks ends the turn, no outer hook can undo it", async () => {
    const outer: AgentMiddleware = {
      name: "outer",
      async wrapToolCall(request, next) {
        try {
          return await next(request);
        } catch {
          return { output: "never mind" };
        }
      },
    };
    const { model, frames } = await playTurn(asking, [around(outer, { name: "inner", wrapToolCall: async () => end })]);
    expect([textOf(frames), model.asked.length]).toEqual(["Let me see.\n\nEnough.", 1]);
  });

  test("a call whose hook ended the turn has an error, and its step's other calls do not begin", async () => {
    const picky: AgentMiddleware = {
      name: "picky",
      wrapToolCall: async (request, next) => (request.args["stop"] === true ? end : await next(request)),
    };
    const { session } = await playTurn([[calling("look", { stop: true }), calling("look")]], [around(picky)]);
    expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([
      { status: "error", error: "look did not finish: the turn was ended" },
      { status: "error", error: "look was not run: the turn was ended" },
    ]);
  });
});

describe("a hook that throws is skipped for the rest of the turn [OR-157]", () => {
  const failing: readonly (keyof AgentMiddleware)[] = [
    "beforeAgent",
    "beforeModel",
    "wrapModelCall",
    "afterModel",
    "wrapToolCall",
    "afterAgent",
  ];

  test.each(failing)("%s: one notice names it, one line is logged, and the turn runs as without it", async (hook) => {
    const { frames, session, done } = await playTurn(asking, [around({ name: "shaky", [hook]: broken })]);
    expect(done).toMatchObject({ status: "finished" });
    expect(textOf(frames)).toBe("Let me see.Here it is.");
    expect(noticesOf(frames)).toMatchObject([
      {
        error: 'The extension "shaky" failed and was left out of this answer.',
        detail: "middleware_failed",
        retryable: false,
      },
    ]);
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toMatchObject([
      { middleware: "shaky", hook, required: false, reason: "Error: broken hook" },
    ]);
    expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ status: "done", output: '"seen"' }]);
  });

  test.each(failing)("%s of a required middleware fails the turn", async (hook) => {
    const { frames, done } = await playTurn(asking, [around({ name: "credits", required: true, [hook]: broken })]);
    expect(done).toMatchObject({ status: "failed", failed: true });
    expect(frames.at(-2)).toMatchObject({
      event: "error",
      data: {
        error: 'The check "credits" could not be completed, so this answer was stopped. Please try again.',
        kind: "unknown",
        code: "gate_failed",
      },
    });
    expect(JSON.stringify(frames)).not.toContain("broken hook");
  });

  test("a failed hook is not called again in a later step", async () => {
    let asked = 0;
    await playTurn(asking, [around({ name: "shaky", beforeModel: () => ((asked += 1), broken()) })]);
    expect(asked).toBe(1);
  });

  test("if a hook fails after `next` has succeeded, the result of `next` counts and nothing is repeated", async () => {
    let made = 0;
    const late: AgentMiddleware = {
      name: "late",
      wrapModelCall: async (request, next) => (await next(request), broken()),
      wrapToolCall: async (request, next) => (await next(request), broken()),
    };
    for (const middleware of [
      late,
      { name: "hasty", wrapToolCall: (request, next) => (void next(request), broken()) } satisfies AgentMiddleware,
    ]) {
      made = 0;
      const { model, frames, session } = await playTurn(asking, [
        plugin("p", { getMiddlewares: () => [middleware], getTools: () => [tool("look", () => (made += 1))] }),
      ]);
      expect([model.asked.length, made, textOf(frames)]).toEqual([2, 1, "Let me see.Here it is."]);
      expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ status: "done", output: "1" }]);
    }
  });

  test("a model failure is not the middleware's fault", async () => {
    const passing: AgentMiddleware = { name: "passing", wrapModelCall: (request, next) => next(request) };
    const { frames, session, done } = await playTurn([[{ fail: new Error("down") }]], [around(passing)]);
    expect(done).toMatchObject({ status: "failed" });
    expect(noticesOf(frames)).toHaveLength(1);
    expect(session.logged.map(({ event }) => event)).not.toContain("middleware-failed");
  });

  test("a hook whose result cannot be stored has failed", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const bored = async (request: ModelCallRequest, next: CallModel) => ({
      ...(await next(request)),
      finishReason: "bored",
    });
    const { done, session } = await playTurn(asking, [
      around(
        { name: "bored", wrapModelCall: bored as unknown as NonNullable<AgentMiddleware["wrapModelCall"]> },
        { name: "endless", wrapToolCall: async () => ({ output: cyclic as JsonObject }) },
      ),
    ]);
    expect(done).toMatchObject({ status: "finished", finishReason: "stop" });
    expect(session.logged.filter(({ event }) => event === "middleware-failed")).toHaveLength(2);
  });

  test("a hook that returns no result has failed", async () => {
    const empty = {
      name: "empty",
      wrapModelCall: async () => undefined,
      wrapToolCall: async () => ({}),
    } as unknown as AgentMiddleware;
    const { frames, done } = await playTurn(asking, [around(empty)]);
    expect([done?.["status"], textOf(frames), noticesOf(frames).length]).toEqual([
      "finished",
      "Let me see.Here it is.",
      1,
    ]);
  });

  test.each([
    ["throws", broken],
    ["returns no list", () => ({ name: "gate" }) as unknown as AgentMiddleware[]],
  ])("a plugin whose getMiddlewares %s could have had a gate: the turn fails [OR-131]", async (_, getMiddlewares) => {
    const { model, frames, done, session } = await playTurn([["Hi."]], [plugin("credits", { getMiddlewares })]);
    expect([done?.["status"], model.asked.length]).toEqual(["failed", 0]);
    expect(frames.at(-2)?.data).toMatchObject({
      code: "gate_failed",
      error: 'The check "credits" could not be completed, so this answer was stopped. Please try again.',
    });
    expect(session.logged.map(({ event }) => event)).toContain("plugin-middlewares-failed");
  });
});

describe("a hook whose answer is neither empty nor an end has failed [OR-157]", () => {
  const odd: readonly unknown[] = [
    { jumpTo: "end", messages: ["Enough."] },
    { jumpTo: "end" },
    { jumpTo: "end", message: 5 },
    { jumpTo: "end", message: " " },
    { jumpTo: "model" },
    "stop",
    false,
  ];
  const hooks = ["beforeAgent", "beforeModel", "afterModel"] as const;
  const cases = hooks.flatMap((hook) => odd.map((answer) => [hook, answer] as const));

  test.each(cases)("%s: %j", async (hook, answer) => {
    const asked: AgentMiddleware = { name: "gate", [hook]: () => answer };
    const open = await playTurn(asking, [around(asked)]);
    expect([open.done?.["status"], noticesOf(open.frames).length]).toEqual(["finished", 1]);
    const closed = await playTurn(asking, [around({ ...asked, required: true })]);
    expect(closed.done).toMatchObject({ status: "failed" });
    expect(closed.frames.at(-2)?.data).toMatchObject({ code: "gate_failed" });
  });

  test.each([{ jumpTo: "end" }, { jumpTo: "end", message: "" }])(
    "a wrap hook that returns %j has failed",
    async (answer) => {
      for (const hook of ["wrapModelCall", "wrapToolCall"]) {
        const gate = { name: "gate", required: true, [hook]: async () => answer } as AgentMiddleware;
        const { frames, done } = await playTurn(asking, [around(gate)]);
        expect([done?.["status"], frames.at(-2)?.data["code"]]).toEqual(["failed", "gate_failed"]);
      }
    },
  );

  test("null counts as an empty answer", async () => {
    const quiet = { name: "quiet", required: true, beforeAgent: () => null } as unknown as AgentMiddleware;
    expect((await playTurn(asking, [around(quiet)])).done).toMatchObject({ status: "finished" });
  });
});

describe("frames, transcript and replay have one text, however middleware changes it [OR-158]", () => {
  const upper: AgentMiddleware["wrapModelCall"] = async (request, next) => {
    const result = await next(request);
    return { ...result, text: result.text.toUpperCase() };
  };
  const adding: AgentMiddleware["wrapModelCall"] = async (request, next) => {
    const result = await next(request);
    return { ...result, text: `${result.text} Bye.` };
  };

  test.each([
    ["one that says that it rewrites", { name: "upper", rewritesText: true, wrapModelCall: upper }, "HELLO."],
    ["one that adds at the end", { name: "adding", wrapModelCall: adding }, "Hello. Bye."],
    ["one that changes text without saying so: what was said stays", { name: "quiet", wrapModelCall: upper }, "Hello."],
    ["one that answers itself", { name: "cache", wrapModelCall: async () => answer("Cached.") }, "Cached."],
  ] satisfies [string, AgentMiddleware, string][])("%s", async (_, middleware, text) => {
    const { frames, session, done } = await playTurn([["Hel", "lo."]], [around(middleware)]);
    expect(done).toMatchObject({ status: "finished" });
    expect([textOf(frames), (await recordsOf(session))[1]?.content]).toEqual([text, text]);
    const replay = valueOf(await session.core.followRun(OWNER, String(done?.["runId"]), 0));
    expect(textOf(await readFrames(replay.frames).rest())).toBe(text);
  });

  test("text that middleware may rewrite is withheld until it has", async () => {
    const gate = createGate();
    const { session } = await openPlay(
      [["secret ", { wait: gate }, "word"]],
      [
        around({
          name: "hush",
          rewritesText: true,
          wrapModelCall: async (request, next) => ({ ...(await next(request)), text: "hush" }),
        }),
      ],
    );
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    gate.open();
    const frames = await reader.rest();
    expect([textOf(frames), JSON.stringify(frames).includes("secret")]).toEqual(["hush", false]);
  });

  test("withheld text that grows longer than an answer may be fails the turn and is not shown [OR-143]", async () => {
    const passing: AgentMiddleware = {
      name: "passing",
      rewritesText: true,
      wrapModelCall: (request, next) => next(request),
    };
    const { frames, done } = await playTurn([["x".repeat(ANSWER_SIZE), "y"]], [around(passing)]);
    expect([done?.["status"], textOf(frames)]).toEqual(["failed", ""]);
    expect(frames.at(-2)?.data).toMatchObject({ error: expect.stringContaining("too long") });
  });

  test("tokens count as the models reported them, even if middleware returns other numbers", async () => {
    const free: AgentMiddleware = {
      name: "free",
      wrapModelCall: async (request, next) => ({
        ...(await next(request)),
        usage: { inputTokens: 0, outputTokens: 0 },
      }),
    };
    const twice: AgentMiddleware = {
      name: "twice",
      wrapModelCall: async (request, next) => (await next(request), next(request)),
    };
    const used: Beat = { finish: "stop", used: [10, 2] };
    const { session } = await playTurn(
      [
        ["a", used],
        ["a", used],
      ],
      [around(free, twice)],
    );
    expect(session.logged.find(({ event }) => event === "run-ended")).toMatchObject({
      inputTokens: 20,
      outputTokens: 4,
    });
  });
});

function answer(text: string) {
  return { text, toolCalls: [], finishReason: "stop" as const, usage: { inputTokens: 0, outputTokens: 0 } };
}

describe("the model and the tool get what a wrap hook passes on [OR-168]", () => {
  test("another prompt, model and messages; a tool that the hook removes cannot be called", async () => {
    const strict: AgentMiddleware = {
      name: "strict",
      wrapModelCall: (request, next) => next({ ...request, system: `${request.system}\nBe brief.`, tools: [] }),
    };
    const { model, session } = await playTurn([[calling("look")], ["Fine."]], [around(strict)]);
    expect(promptsOf(model)[0]).toMatch(/Be brief\.$/);
    expect(model.asked[0]?.tools ?? []).toEqual([]);
    expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([
      { status: "error", error: "There is no such tool: look" },
    ]);
  });

  test("other arguments, and another result", async () => {
    const loud: AgentMiddleware = {
      name: "loud",
      async wrapToolCall(request, next) {
        const result = await next({ ...request, args: { word: "b" } });
        return "output" in result ? { output: `${String(result.output)}!` } : result;
      },
    };
    const echo = tool("echo", (args) => (args as { word: string }).word);
    const { session } = await playTurn(
      [[calling("echo", { word: "a" })], ["Fine."]],
      [plugin("p", { getMiddlewares: () => [loud], getTools: () => [echo] })],
    );
    expect((await recordsOf(session))[1]?.toolCalls).toMatchObject([{ args: { word: "a" }, output: '"b!"' }]);
  });

  test("each middleware gets its own plugin's context", async () => {
    const seen: unknown[] = [];
    const noting: AgentMiddleware = {
      name: "noting",
      beforeAgent: (_, { state, user }) => void seen.push(state, user.did),
    };
    await playTurn(
      [["Hi."]],
      [
        plugin("other", { getSharedState: () => ({ agentName: "Other" }) }),
        plugin("p", { getSharedState: () => ({ agentName: "Mine" }), getMiddlewares: () => [noting] }),
      ],
    );
    expect(seen).toEqual([{ agentName: "Mine" }, OWNER]);
  });
});

test("without middleware, a call is the innermost function, unwrapped [OR-155]", () => {
  const innermost = async () => answer("x");
  const hooks = createHooks({
    active: {
      run: { verdict: null } as Run,
      signal: new AbortController().signal,
      noticeOnce: () => undefined,
      decide: () => undefined,
    },
    onVerdict: () => undefined,
    log: createLogger({}, () => undefined),
  });
  expect(hooks.modelCall([], innermost)).toBe(innermost);
});
