/** Plugin middleware: ending a turn, failing, changing text, requests and results. */
import { describe, expect, test } from "vitest";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, textOf } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay, playTurn, promptsOf, recordsOf } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import type { AgentMiddleware, EndTurn } from "../framework/middleware.ts";
import { createLogger } from "../../platform/log.ts";
import { ANSWER_SIZE } from "../runs/active-run.ts";
import type { Run } from "../runs/run-store.ts";
import { createHooks } from "./hooks.ts";
import { around, asking, noticesOf, answer } from "../../test/support/oracle/middleware-turns.ts";

const end: EndTurn = { jumpTo: "end", message: "Enough." };

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

describe("frames, transcript and replay have the same text, whatever middleware does to it [OR-158]", () => {
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

describe("what a wrap hook passes on is what the model and the tool get [OR-168]", () => {
  test("another prompt, model and messages; a tool that it takes out cannot be called", async () => {
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
