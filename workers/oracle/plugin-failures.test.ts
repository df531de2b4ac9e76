/** Plugins that throw or hang, at each place where the oracle waits for them, and the effect on other requests. */
import { describe, expect, test } from "vitest";
import { chatModels, chatSettings } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { jsonOf, openSession } from "../../test/support/oracle/oracle-edge.ts";
import { edgeOverObjects } from "../../test/support/oracle/oracle-objects-in-node.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel } from "./testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";

const WORDS = "the database password is hunter2";
const throws = (): never => {
  throw new Error(WORDS);
};
const hangs = (): Promise<never> => new Promise(() => undefined);

describe("at the edge a plugin's exception is a 500 of that request alone, without its message [OR-230]", () => {
  test("a gate", async () => {
    const { edge, objects } = await edgeOverObjects();
    const gate = plugin("gate", {
      getRequestAdmission: ({ request }) => (request.message === "break" ? throws() : { ok: true, value: null }),
    });
    objects.settings = chatSettings({ plugins: [gate] });
    const sessionId = await openSession(edge, 1);
    const send = (message: string) => edge.call("POST", `/messages/${sessionId}`, { as: 1, body: { message } });
    const broken = await send("break");
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain("hunter2");
    expect(await jsonOf(await send("hello"))).toMatchObject({ message: { content: "You said: hello" } });
  });

  test("a route, while others still answer", async () => {
    const broken = plugin("broken", {
      getRoutes: () => [
        { method: "get", path: "/broken", public: true, handler: throws },
        { method: "get", path: "/whole", public: true, handler: () => Response.json({ ok: true }) },
      ],
    });
    const { edge } = await edgeOverObjects({}, { plugins: [broken] });
    const answer = await edge.call("GET", "/broken");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("hunter2");
    expect((await edge.call("GET", "/whole")).status).toBe(200);
  });

  test("a route or its middleware that throws something without text", async () => {
    const empty = (): never => {
      throw Object.create(null);
    };
    const broken = plugin("broken", {
      getRoutes: () => [
        { method: "get", path: "/broken", public: true, handler: empty },
        { method: "get", path: "/behind", handler: () => Response.json({ ok: true }) },
      ],
      getRouteMiddlewares: () => [empty],
    });
    const { edge } = await edgeOverObjects({}, { plugins: [broken] });
    for (const answer of [await edge.call("GET", "/broken"), await edge.call("GET", "/behind", { as: 1 })]) {
      expect(answer.status).toBe(500);
      expect(await jsonOf(answer)).toMatchObject({ message: "Internal server error" });
    }
  });
});

test("a key or cursor in a request that a plugin's storage refuses is a 400 with the reason [OR-230]", async () => {
  const from = (request: Request, name: string): string => new URL(request.url).searchParams.get(name) ?? "";
  const notes = plugin("notes", {
    getRoutes: () => [
      {
        method: "get",
        path: "/notes",
        handler: async (request, { kv }) => Response.json(await kv?.get(from(request, "key"))),
      },
      {
        method: "get",
        path: "/list",
        handler: async (request, { kv }) => Response.json(await kv?.list("", from(request, "cursor"))),
      },
    ],
  });
  const { edge } = await edgeOverObjects({}, { plugins: [notes] });
  for (const [path, message] of [
    [`/notes?key=${"k".repeat(513)}`, "A key must have 1 to 512 characters; this one has 513"],
    ["/list?cursor=k0000", "The cursor must come from list()"],
  ] as const) {
    const answer = await edge.call("GET", path, { as: 1 });
    expect(answer.status).toBe(400);
    expect(await jsonOf(answer)).toMatchObject({ message });
  }
});

describe("in a turn a plugin that hangs delays only this turn, until its time limit [OR-230]", () => {
  const MINUTES_10 = 600_000;
  test.each<[string, Partial<PluginDefinition>]>([
    ["its state", { getSharedState: hangs }],
    ["its tools", { getTools: hangs }],
    ["its middleware", { getMiddlewares: () => [{ name: "slow", beforeModel: hangs }] }],
    ["a tool", { getTools: () => [tool("wait", hangs)] }],
  ])("%s", async (_, parts) => {
    const model = createScriptedModel();
    model.plays([{ call: "wait", input: {} }], ["Done."]);
    const hanging = await startSession({ settings: { models: chatModels(model), plugins: [plugin("slow", parts)] } });
    const frames = readFrames(valueOf(await hanging.core.startRun(OWNER, turn("hello"))).frames);
    await frames.until(({ event }) => event === "run");
    const other = await startSession({ settings: { plugins: [plugin("whole", {})] } });
    const answered = readFrames(valueOf(await other.core.startRun(OWNER, turn("hello"))).frames);
    expect((await answered.rest()).at(-1)?.data).toMatchObject({ status: "finished" });
    hanging.clock.advance(MINUTES_10);
    hanging.core.watch();
    const rest = await frames.rest();
    expect(rest.find(({ event }) => event === "error")?.data).toMatchObject({
      kind: "budget_exhausted",
      limit: "time",
    });
    expect(rest.at(-1)?.data).toMatchObject({ status: "failed" });
  });
});
