/** The test kit itself: the features that a plugin's test uses, over real objects. */
import { expect, test } from "vitest";
import * as z from "zod";
import { fail } from "../../platform/failure.ts";
import { createOracleApp } from "../../workers/create-oracle-app.ts";
import type { PluginTool } from "../../oracle/framework/tools.ts";
import { scriptedModel, testOracle } from "../../workers/oracle/testing/index.ts";
import { createGate, createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import { plugin, tool } from "../support/plugins/small-plugins.ts";

const counter = plugin("counter", {
  getTools: () => [
    tool("count", async (_args, { kv, emit }) => {
      const count = Number((await kv.get("count")) ?? 0) + 1;
      await kv.set("count", count);
      emit("render_component", { componentName: "Count", args: { count }, status: "done", eventId: "card" });
      return { count };
    }),
  ],
  getRoutes: () => [
    {
      method: "get",
      path: "/counts/mine",
      handler: async (_request, { kv, user }) => Response.json({ count: await kv?.get("count"), user: user?.did }),
    },
    {
      method: "get",
      path: "/counts/open",
      public: true,
      handler: (_request, ctx) => Response.json({ kv: ctx.kv ?? null, user: ctx.user ?? null }),
    },
  ],
});

test("a turn of the local model: text, tool calls, frames, socket events, the tools it was offered [OR-219]", async () => {
  const oracle = await testOracle({ plugins: [counter] });
  expect(await oracle.say("hello")).toMatchObject({ status: "finished", text: "You said: hello", toolCalls: [] });
  const turn = await oracle.say('/tool count {"by":1}');
  expect(turn.toolCalls).toEqual([{ name: "count", args: { by: 1 }, status: "done", output: { count: 1 } }]);
  expect(turn.text).toBe('Tool count returned: {"count":1}');
  expect(turn.frames[0]).toMatchObject({ event: "run", data: { runId: turn.runId } });
  expect(turn.events.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["tool_call", "render_component", "tool_call"]),
  );
  expect(turn.events.find(({ name }) => name === "render_component")?.payload).toMatchObject({ args: { count: 1 } });
  expect(oracle.tools).toEqual(["count"]);
  expect(oracle.modelRequests).toHaveLength(3);
  expect(oracle.frames.length).toBeGreaterThan(turn.frames.length);
});

test("plugin routes with and without a user; kv is shared by routes, turns and the test [OR-211, OR-219]", async () => {
  const oracle = await testOracle({ plugins: [counter] });
  await oracle.say("/tool count");
  const mine = await oracle.fetch("/counts/mine");
  expect(await mine.json()).toEqual({ count: 1, user: oracle.user.did });
  expect((await oracle.fetch("/counts/mine", { anonymous: true })).status).toBe(401);
  expect(await (await oracle.fetch("/counts/open", { anonymous: true })).json()).toEqual({ kv: null, user: null });
  expect(await oracle.kv("counter").get("count")).toBe(1);
  await oracle.kv("counter").set("count", 41);
  expect((await oracle.say("/tool count")).toolCalls[0]?.output).toEqual({ count: 42 });
});

test("another session shares the user's values, another user does not; oracles run side by side [OR-211, OR-219]", async () => {
  const [oracle, other] = await Promise.all([testOracle({ plugins: [counter] }), testOracle({ plugins: [] })]);
  await oracle.say("/tool count");
  const [again, stranger] = await Promise.all([oracle.anotherSession(), oracle.anotherUser()]);
  expect((await again.say("/tool count")).toolCalls[0]?.output).toEqual({ count: 2 });
  expect((await stranger.say("/tool count")).toolCalls[0]?.output).toEqual({ count: 1 });
  expect((await other.say("/tool count")).text).toBe("There is no tool named count.\n");
  expect(other.tools).toEqual([]);
  expect((await other.fetch("/counts/open", { anonymous: true })).status).toBe(404);
});

test("blobs exist with the bucket BLOBS; without it ctx.blobs is undefined, and a plugin that needs them is off [OR-216]", async () => {
  const parts = { getTools: () => [tool("has_blobs", (_args, { blobs }) => ({ has: blobs !== undefined }))] };
  const plugins = [plugin("may", parts), plugin("must", { requires: ["blobs"] })];
  const bound = await testOracle({ plugins });
  expect((await bound.say("/tool has_blobs")).toolCalls[0]?.output).toEqual({ has: true });
  const without = await testOracle({ plugins, env: { BLOBS: undefined } });
  expect((await without.say("/tool has_blobs")).toolCalls[0]?.output).toEqual({ has: false });
  const health = await without.fetch("/health", { anonymous: true });
  expect(await health.json()).toMatchObject({ plugins: { loaded: ["may"], excluded: [{ plugin: "must" }] } });
});

test("a kill in the middle of a model's answer: the turn still ends, and the next one works [OR-220]", async () => {
  const model = createScriptedModel();
  model.plays(["One ", { wait: createGate() }], ["Two"], ["Three"]);
  const oracle = await testOracle({ plugins: [], model });
  const saying = oracle.say("count");
  await model.whenAsked(1);
  await oracle.kill();
  const turn = await saying;
  expect(turn.status).toBe("finished");
  expect(turn.text).toMatch(/Two$/);
  expect(turn.frames.some(({ data }) => data["resumed"] === true)).toBe(true);
  expect(model.asked).toHaveLength(2);
  expect((await oracle.say("next")).text).toBe("Three");
});

test.each(["read", "write"] as const)(
  "a kill inside a tool, at a moment that the tool chooses [OR-220]: %s",
  async (effect) => {
    const { promise: inside, resolve: enters } = Promise.withResolvers<void>();
    let calls = 0;
    const slow: PluginTool = {
      ...tool("slow", () => {
        calls += 1;
        enters();
        return calls === 1 ? new Promise(() => undefined) : { calls };
      }),
      effect,
    };
    const model = scriptedModel([{ call: "slow", input: {} }], ["Done."]);
    const oracle = await testOracle({ plugins: [plugin("slow", { getTools: () => [slow] })], model });
    const saying = oracle.say("go");
    await inside;
    await oracle.kill();
    expect(await saying).toMatchObject({ status: "finished", text: "Done." });
    expect(calls).toBe(effect === "read" ? 2 : 1);
  },
);

test("an author's oracle is tested by its options: its own plugins run, bundled ones do not [OR-219]", async () => {
  const app = createOracleApp({ config: { name: "Counting" }, plugins: [counter] });
  const oracle = await testOracle(app.options);
  await oracle.say("hello");
  expect(oracle.tools).toEqual(["count"]);
  expect(JSON.stringify(oracle.modelRequests[0]?.prompt)).toContain("Counting");
});

test("an eviction between turns loses the memory and keeps the storage and the socket [OR-220]", async () => {
  const oracle = await testOracle({ plugins: [counter] });
  await oracle.say("/tool count");
  await oracle.evict();
  await oracle.evict();
  const turn = await oracle.say("/tool count");
  expect(turn.toolCalls[0]?.output).toEqual({ count: 2 });
  expect(turn.events.map(({ name }) => name)).toContain("render_component");
  const history = await oracle.fetch(`/messages/${oracle.sessionId}`);
  expect((await history.json<{ messages: unknown[] }>()).messages.length).toBeGreaterThanOrEqual(4);
});

test("a refused message and a failed turn report the reason [OR-219]", async () => {
  const gate = plugin("gate", {
    getRequestAdmission: ({ request }) =>
      request.message === "pay" ? fail("payment_required", "Pay first") : { ok: true, value: null },
  });
  const oracle = await testOracle({ plugins: [gate] });
  expect(await oracle.say("pay")).toMatchObject({
    status: "refused",
    text: "",
    error: { statusCode: 402, message: "Pay first" },
  });
  expect(await oracle.say("/fail server")).toMatchObject({
    status: "failed",
    text: "Starting ",
    error: { kind: "server", retryable: true },
  });
});

test("limits, settings of plugins and the environment are real [OR-219]", async () => {
  const greeting = plugin("greeting", {
    configSchema: z.object({ GREETING: z.string() }),
    getSharedState: ({ config, env }) => ({
      promptSection: `${(config as { GREETING: string }).GREETING} ${String(Reflect.get(env, "NAME"))}`,
    }),
  });
  const env = { GREETING: "Grüezi", NAME: "Ada", ORACLE_RATE_LIMIT_PER_MINUTE: "5" };
  const oracle = await testOracle({ plugins: [greeting], env });
  await oracle.say("hello");
  expect(JSON.stringify(oracle.modelRequests[0]?.prompt)).toContain("Grüezi Ada");
  for (let sent = 0; sent < 3; sent += 1) await oracle.say("hello");
  expect(await oracle.say("hello")).toMatchObject({ status: "refused", error: { statusCode: 429 } });
  expect(await (await oracle.fetch("/health", { anonymous: true })).json()).toMatchObject({
    plugins: { loaded: ["greeting"] },
  });
  const off = await testOracle({ plugins: [counter], features: { counter: false } });
  await off.say("hello");
  expect(off.tools).toEqual([]);
  expect((await off.fetch("/counts/mine")).status).toBe(404);
});

test("the user's page runs browser tools and actions [OR-221]", async () => {
  const oracle = await testOracle({
    plugins: [portal, agui],
    browserTools: { add: ({ a, b }) => Number(a) + Number(b), broken: () => Promise.reject(new Error("no page")) },
    actions: { paint: ({ colour }) => ({ success: true, painted: colour }) },
  });
  const turn = await oracle.say('/tool add {"a":1,"b":2}\n/tool paint {"colour":"red"}\n/tool broken');
  expect(oracle.tools).toEqual(expect.arrayContaining(["add", "broken", "paint"]));
  expect(turn.toolCalls).toMatchObject([
    { name: "add", output: "3" },
    { name: "paint", output: { success: true, painted: "red" } },
    { name: "broken", status: "error" },
  ]);
});

test("approve_tool of the actions answers for the user and is not offered to models [OR-173, OR-221]", async () => {
  const pay = { ...tool("pay", () => ({ paid: true })), needsApproval: true };
  const asked: unknown[] = [];
  const oracle = await testOracle({
    plugins: [agui, plugin("bank", { getTools: () => [pay] })],
    actions: {
      approve_tool(question) {
        asked.push(question);
        return { approved: asked.length === 1 };
      },
    },
  });
  const approved = await oracle.say('/tool pay {"to":"Ada"}');
  const question = { toolName: "pay", args: { to: "Ada" } };
  expect(approved.toolCalls).toContainEqual({
    name: "pay",
    args: { to: "Ada" },
    status: "done",
    output: { paid: true },
  });
  expect(approved.toolCalls).toContainEqual(expect.objectContaining({ name: "approve_tool", args: question }));
  expect((await oracle.say('/tool pay {"to":"Bob"}')).toolCalls).toContainEqual(
    expect.objectContaining({ name: "pay", status: "error" }),
  );
  expect(asked).toEqual([question, { toolName: "pay", args: { to: "Bob" } }]);
  expect(oracle.tools).toEqual(["pay"]);
});

test("without approve_tool a turn that needs an approval ends, and say reports what to pass [OR-221]", async () => {
  let paid = 0;
  const pay = { ...tool("pay", () => ({ paid: (paid += 1) })), needsApproval: true };
  const oracle = await testOracle({ plugins: [plugin("bank", { getTools: () => [pay] })] });
  await expect(oracle.say("/tool pay")).rejects.toThrow(
    "pay waits for an approval: pass actions: { approve_tool: () => ({ approved: true }) }",
  );
  expect(await oracle.say("hello")).toMatchObject({ status: "finished", text: "You said: hello" });
  expect(paid).toBe(0);
});

test("an event that a plugin cannot emit is refused with the names of those that it can [OR-131]", async () => {
  const emit = plugin("emit", {
    getTools: () => [
      tool("emit", (_args, ctx) => {
        try {
          ctx.emit("browser_tool_call" as "router_update", { step: "x" });
          return "emitted";
        } catch (thrown) {
          return String(thrown);
        }
      }),
    ],
  });
  const oracle = await testOracle({ plugins: [emit] });
  const turn = await oracle.say("/tool emit");
  expect(turn.toolCalls[0]?.output).toBe(
    "TypeError: emit takes one of tool_call, render_component, router_update, mcp_auth_required, message_cache_invalidation",
  );
  expect(turn.events.map(({ name }) => name)).not.toContain("browser_tool_call");
});

test("a turn takes less than 50 milliseconds [OR-222]", async () => {
  const oracle = await testOracle({ plugins: [counter] });
  await oracle.say("hello");
  let fastest = Infinity;
  // Other load on the machine makes turns longer, never shorter, so one undisturbed turn is enough.
  for (let turns = 0; turns < 500 && fastest >= 50; turns += 1) {
    const started = performance.now();
    await oracle.say("/tool count");
    fastest = Math.min(fastest, performance.now() - started);
  }
  expect(fastest).toBeLessThan(50);
});

test("an oracle that does not start reports which plugin lacks what [OR-204, OR-219]", async () => {
  const keyed = plugin("keyed", { configSchema: z.object({ KEYED_TOKEN: z.string() }) });
  await expect(testOracle({ plugins: [keyed], features: { keyed: true } })).rejects.toThrow(
    "the oracle does not start: boot.plugin.env_missing: features forces keyed on, which lacks KEYED_TOKEN",
  );
});
