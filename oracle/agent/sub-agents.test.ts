/** Sub-agents: the nested loop, what clients see of it, how it counts, and how a restart resumes it. */
import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, textOf, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { calling, openPlay, playTurn, promptsOf, recordsOf, say } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createGate, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { PluginTool } from "../framework/tools.ts";
import { ANSWER_SIZE } from "../runs/active-run.ts";
import type { PluginSubAgent } from "../framework/sub-agents.ts";

const search: PluginTool = { ...tool("search", () => ["report"]), effect: "read" };
const save: PluginTool = tool("save", () => "saved");

function withAgent(change: Partial<PluginSubAgent> = {}): PluginDefinition {
  const agent: PluginSubAgent = {
    name: "researcher",
    description: "Reads reports.",
    systemPrompt: "You read reports.",
    tools: [search],
    forwardTools: true,
    ...change,
  };
  return plugin("research", { getSubAgents: () => [agent] });
}

const task = { task: "How many stoves?" };
/** The main agent asks, the sub-agent searches and answers, the main agent answers. */
const script: readonly (readonly Beat[])[] = [
  ["Wait. ", calling("call_researcher", task), { finish: "tool-calls", used: [1, 1] }],
  ["Searching.", { think: "hm" }, calling("search", { q: "stoves" }), { finish: "tool-calls", used: [10, 10] }],
  ["Twelve.", { finish: "stop", used: [100, 100] }],
  ["There are twelve.", { finish: "stop", used: [1000, 1000] }],
];

const callsOf = (frames: readonly ReadFrame[]) =>
  frames
    .filter(({ event }) => event === "tool_call")
    .map(({ data: { toolName, status, agent, output } }) => ({ toolName, status, agent, output }));

describe("a sub-agent is a tool of the main agent [OR-160]", () => {
  test("its text is the tool's output and never the answer's; the main model gets only the call's outcome", async () => {
    const { model, frames, session, done } = await playTurn(script, [withAgent()]);
    expect(done).toMatchObject({ status: "finished" });
    expect(textOf(frames)).toBe("Wait. There are twelve.");
    const [own, sub, subAgain, again] = model.asked;
    expect(own?.tools).toMatchObject([
      { name: "call_researcher", description: "Reads reports.", inputSchema: { required: ["task"] } },
    ]);
    expect(sub?.tools).toMatchObject([{ name: "search" }]);
    expect(promptsOf(model)[1]).toMatch(/^You read reports\.\n\n## Rules\n/);
    expect(sub?.prompt.slice(1)).toMatchObject([{ role: "user", content: [{ text: "How many stoves?" }] }]);
    expect(subAgain?.prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(again?.prompt.at(-1)?.content).toMatchObject([
      { toolName: "call_researcher", output: { value: "Twelve." } },
    ]);
    expect(JSON.stringify(again?.prompt)).not.toContain('"search"');
    const [, answer] = await recordsOf(session);
    expect([answer?.content, answer?.reasoning]).toEqual(["Wait. There are twelve.", undefined]);
  });

  test("its calls carry its name, in the stream and in the transcript, and later turns omit them", async () => {
    const { model, session } = await openPlay([...script, ["Still twelve."]], [withAgent()]);
    const frames = await say(session, "go");
    expect(callsOf(frames)).toMatchObject([
      { toolName: "call_researcher", status: "isRunning", agent: undefined },
      { toolName: "search", status: "isRunning", agent: "researcher" },
      { toolName: "search", status: "done", agent: "researcher" },
      { toolName: "call_researcher", status: "done", agent: undefined, output: "Twelve." },
    ]);
    expect((await recordsOf(session))[1]?.toolCalls?.map(({ name, agent }) => [name, agent])).toEqual([
      ["call_researcher", undefined],
      ["search", "researcher"],
    ]);
    await say(session, "and now?");
    expect(JSON.stringify(model.asked[4]?.prompt)).not.toContain('"search"');
  });

  test("its tokens count for the run", async () => {
    const { session } = await playTurn(script, [withAgent()]);
    expect(session.logged.find(({ event }) => event === "run-ended")).toMatchObject({
      inputTokens: 1111,
      outputTokens: 1111,
    });
  });

  test("the prefix is not added to a name that already has it; prompt and tools may depend on the context", async () => {
    const { model, session } = await playTurn(
      [[calling("call_helper", task)], [calling("whoami")], ["Known."], ["Good."]],
      [
        plugin("p", {
          getRequestSubAgents: () => [
            {
              name: "call_helper",
              description: "Helps.",
              systemPrompt: ({ user }) => `You help ${user.did}.`,
              tools: ({ state }) => [tool("whoami", (_, ctx) => [state.agentName ?? "", ctx.user.did])],
              model: "small",
              forwardTools: true,
            },
          ],
          getSharedState: () => ({ agentName: "Juno" }),
        }),
      ],
    );
    expect(promptsOf(model)[1]).toContain(`You help ${OWNER}.`);
    expect((await recordsOf(session))[1]?.toolCalls?.at(-1)).toMatchObject({
      agent: "helper",
      output: JSON.stringify(["Juno", OWNER]),
    });
  });

  test("`model` selects its model", async () => {
    const asked: (string | undefined)[] = [];
    const { model } = await openPlay([], []);
    model.plays([calling("call_researcher", task)], ["Twelve."], ["Good."]);
    const models = { ...chatModels(model), model: (id: string | undefined) => (asked.push(id), model) };
    const { session } = await openPlay([], [withAgent({ model: "small" })], { models });
    await say(session, "go", { model: "large" });
    expect(asked).toEqual(["large", "small", "large"]);
  });
});

describe("what clients see of a sub-agent [OR-161]", () => {
  test.each([
    [true, ["call_researcher", "search", "save"]],
    [false, ["call_researcher"]],
    [["save"], ["call_researcher", "save"]],
  ] satisfies [PluginSubAgent["forwardTools"], string[]][])("forwardTools: %j", async (forwardTools, shown) => {
    const { frames, session } = await playTurn(
      [[calling("call_researcher", task)], [calling("search"), calling("save")], ["Twelve."], ["Good."]],
      [withAgent({ tools: [search, save], forwardTools })],
    );
    expect([...new Set(callsOf(frames).map(({ toolName }) => toolName))]).toEqual(shown);
    expect((await recordsOf(session))[1]?.toolCalls?.map(({ name }) => name)).toEqual(shown);
  });

  test("a frame `router.update` and an event `router_update` name the active agent when it starts and ends", async () => {
    const { session } = await openPlay(script, [withAgent()]);
    const tab = await session.tabs.connect();
    const frames = await say(session, "go");
    const updates = frames.filter(({ event }) => event === "router.update");
    expect(updates.map(({ data }) => data["step"])).toEqual(["researcher", "agent"]);
    expect(updates[0]?.data).toMatchObject({ sessionId: session.sessionId, runId: frames[0]?.data["runId"] });
    const heard = tab.heard.filter(({ name }) => name === "router_update");
    expect(heard.map(({ payload }) => payload["step"])).toEqual(["researcher", "agent"]);
  });

  test("`onComplete` gets the answer before the main agent; an error that it throws changes nothing", async () => {
    const order: string[] = [];
    const onComplete = (result: string): never => {
      order.push(result);
      throw new Error("broken");
    };
    const { model, session, done } = await playTurn(script, [withAgent({ onComplete })]);
    expect([order, model.asked.length, done?.["status"]]).toEqual([["Twelve."], 4, "finished"]);
    expect(session.logged.map(({ event }) => event)).toContain("sub-agent-hook-failed");
  });
});

describe("its limits, and its failures [OR-162]", () => {
  const fails: readonly [string, readonly (readonly Beat[])[], RegExp][] = [
    ["its model fails", [[{ fail: new Error("down") }]], /^researcher failed: its model returned no answer/],
    [
      "its answer grows too long",
      [["x".repeat(ANSWER_SIZE), "y"]],
      /^researcher returned no answer: the answer grew too long/,
    ],
    ["its model says nothing", [[]], /^researcher returned no answer: it said nothing/],
    [
      "it takes too many steps",
      Array.from({ length: 16 }, () => [calling("search", { n: Math.random() })]),
      /^researcher returned no answer: it took too many steps/,
    ],
  ];
  test.each(fails)("%s: the call fails, and the turn continues", async (_, steps, error) => {
    const { model, done } = await playTurn([[calling("call_researcher", task)], ...steps, ["Sorry."]], [withAgent()]);
    expect(done).toMatchObject({ status: "finished" });
    expect(model.asked.at(-1)?.prompt.at(-1)?.content).toMatchObject([
      { output: { type: "error-text", value: expect.stringMatching(error) } },
    ]);
  });

  test("it takes as many steps as the operator allows, counted again for each task [OR-511]", async () => {
    const looks = (n: number) => [calling("search", { n })];
    const { session } = await openPlay(
      [
        [calling("call_researcher", task)],
        looks(1),
        ["Twelve."],
        [calling("call_researcher", { task: "again" })],
        looks(2),
        looks(3),
        looks(4),
        ["Sorry."],
      ],
      [withAgent()],
      { limits: { ...chatSettings().limits, maxSteps: 3 } },
    );
    expect((await say(session, "go")).at(-1)?.data).toMatchObject({ status: "finished" });
    const calls = (await recordsOf(session))[1]?.toolCalls?.filter(({ name }) => name === "call_researcher");
    expect(calls).toMatchObject([
      { status: "done", output: '"Twelve."' },
      { status: "error", error: "researcher returned no answer: it took too many steps" },
    ]);
  });

  test("it cannot call a sub-agent: it has no such tool", async () => {
    const { session } = await playTurn(
      [[calling("call_researcher", task)], [calling("call_researcher", task)], ["Twelve."], ["Good."]],
      [withAgent()],
    );
    expect((await recordsOf(session))[1]?.toolCalls?.at(-1)).toMatchObject({
      error: "There is no such tool: call_researcher",
    });
  });

  test("middleware of plugins wraps its steps too, its own innermost; a hook that ends the turn ends the whole turn", async () => {
    const seen: string[] = [];
    const note = (name: string) => ({
      name,
      beforeAgent: ({ agent }: { agent?: string }) => void seen.push(`${name} beforeAgent ${agent}`),
      beforeModel: ({ agent }: { agent?: string }) => void seen.push(`${name} beforeModel ${agent}`),
      afterAgent: ({ agent }: { agent?: string }) => void seen.push(`${name} afterAgent ${agent}`),
    });
    const outer = plugin("outer", { getMiddlewares: () => [note("outer")] });
    await playTurn(
      [[calling("call_researcher", task)], ["Twelve."], ["Good."]],
      [outer, withAgent({ middlewares: [note("own")] })],
    );
    expect(seen).toEqual([
      "outer beforeAgent undefined",
      "outer beforeModel undefined",
      "own beforeAgent researcher",
      "outer beforeModel researcher",
      "own beforeModel researcher",
      "own afterAgent researcher",
      "outer beforeModel undefined",
      "outer afterAgent undefined",
    ]);
    const ending = { name: "ending", afterModel: () => ({ jumpTo: "end", message: "Enough." }) as const };
    const { frames, model } = await playTurn(
      [[calling("call_researcher", task)], ["Twelve."]],
      [withAgent({ middlewares: [ending] })],
    );
    expect([textOf(frames), model.asked.length]).toEqual(["Enough.", 2]);
  });

  test("it ends with the turn: a stop aborts its model call", async () => {
    const { model, session } = await openPlay(
      [[calling("call_researcher", task)], [{ wait: createGate() }]],
      [withAgent()],
    );
    const reader = readFrames(valueOf(await session.core.startRun(OWNER, turn("go"))).frames);
    await model.whenAsked(2);
    valueOf(await session.core.abort(OWNER));
    await model.whenCancelled();
    expect((await reader.rest()).at(-1)?.data).toMatchObject({ status: "aborted" });
  });

  test.each<[string, PluginTool[]]>([
    ["only reads", [search]],
    ["may write", [search, save]],
  ])(
    "a sub-agent that %s continues from its own steps after a restart, and its tokens count once [OR-483]",
    async (_, tools) => {
      const asks: readonly (readonly Beat[])[] = [
        [calling("call_researcher", task), { finish: "tool-calls", used: [1, 1] }],
        [calling("search"), { finish: "tool-calls", used: [100_000, 1] }],
        [{ wait: createGate() }],
      ];
      const { model, session } = await openPlay([...asks, ["Twelve."], ["Good."]], [withAgent({ tools })]);
      valueOf(await session.core.startRun(OWNER, turn("go")));
      await model.whenAsked(3);
      session.restart();
      session.core.watch();
      await session.settled();
      const [, answer] = await recordsOf(session);
      expect(answer?.content).toBe("Good.");
      expect(model.asked).toHaveLength(asks.length + 2);
      const [result] = model.asked.at(-1)?.prompt.at(-1)?.content ?? [];
      expect(result).toMatchObject({ toolName: "call_researcher", output: { value: "Twelve." } });
      expect(answer?.toolCalls?.filter(({ agent }) => agent === "researcher")).toHaveLength(1);
      const used = Number(session.database.prepare("SELECT input_tokens FROM runs").get()?.["input_tokens"]);
      expect(used).toBeGreaterThan(100_000);
      expect(used).toBeLessThan(150_000);
    },
  );

  test("arguments without a task are refused", async () => {
    const { model } = await playTurn([[calling("call_researcher", { job: 1 })], ["Sorry."]], [withAgent()]);
    expect(model.asked[1]?.prompt.at(-1)?.content).toMatchObject([
      {
        output: {
          value:
            "The arguments do not match the tool's parameters (/task Invalid input: expected string, received undefined): call_researcher",
        },
      },
    ]);
  });
});
