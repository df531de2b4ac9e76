/** Which tab receives a call, whose result counts, and how a call with an unknown outcome ends. */
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { Tab } from "../../test/support/oracle/tabs.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import type { JsonObject } from "../../platform/json.ts";

const declared = { description: "", schema: {} };

/** A session whose model calls the tool `act` (of the browser) or the action `show` once per turn. */
async function setUp(kind: "browser" | "action" = "browser") {
  const model = createScriptedModel();
  const name = kind === "browser" ? "act" : "show";
  model.plays(...Array.from({ length: 6 }, () => [[{ call: name, input: {} }], ["Done."]]).flat());
  const session = await startSession({ settings: { models: chatModels(model), plugins: [portal, agui] } });
  const { tabs, clock } = session;

  /** Starts a turn and waits for its call. */
  async function callOf(metadata: JsonObject = {}) {
    const before = tabs.written.length;
    const tools = [{ ...declared, name: "act" }];
    const agActions = [{ ...declared, name: "show" }];
    const started = valueOf(await session.core.startRun(OWNER, turn("go", { tools, agActions, metadata })));
    await tabs.whenWritten(before + 1);
    const written = tabs.written[before];
    if (written === undefined) throw new Error("nothing was written");
    const rest = async () => {
      const frames = await readFrames(started.frames).rest();
      return frames.findLast(({ event }) => event === "tool_call" || event === "action_call")?.data ?? {};
    };
    return { ...written, rest };
  }

  async function askedOf(metadata: JsonObject = {}): Promise<string> {
    const { socketId, rest, call } = await callOf(metadata);
    const asked = connected.find((tab) => tab.socketId === socketId);
    asked?.answer(call, null);
    await rest();
    return socketId;
  }

  const connected: Tab[] = [];
  async function connect(): Promise<Tab> {
    const tab = await tabs.connect();
    connected.push(tab);
    clock.advance(1_000);
    return tab;
  }

  const refused = () => session.logged.filter(({ event }) => event === "tool-result-refused");
  return { session, tabs, clock, connect, callOf, askedOf, refused };
}

describe("the tab that a call goes to [OR-188]", () => {
  test("the newest one before any client event; then the one whose client was last active, not the last to connect", async () => {
    const { connect, askedOf, clock } = await setUp();
    const [first, second] = [await connect(), await connect()];
    expect(await askedOf({ socketId: first.socketId })).toBe(first.socketId);
    // Its answer was an event.
    const third = await connect();
    expect(await askedOf()).toBe(first.socketId);
    clock.advance(1_000);
    second.emit("subscribe");
    expect(await askedOf()).toBe(second.socketId);
    third.emit("subscribe");
    expect(await askedOf()).toBe(third.socketId);
  });

  test("events of one millisecond are still ordered", async () => {
    const { connect, askedOf } = await setUp();
    const [first, second] = [await connect(), await connect()];
    second.emit("subscribe");
    first.emit("subscribe");
    expect(await askedOf()).toBe(first.socketId);
  });

  test("requests that change nothing do not count, and store nothing [OR-188]", async () => {
    const { connect, askedOf, session } = await setUp();
    const [first, second] = [await connect(), await connect()];
    first.emit("subscribe");
    const stored = () => session.database.prepare("SELECT * FROM socketio_sockets ORDER BY id").all();
    const before = stored();
    for (const name of ["ping", "status", "list-events"] as const) second.emit(name);
    expect(second.heard.slice(-3).map(({ name }) => name)).toEqual(["pong", "status", "available-events"]);
    expect(stored()).toEqual(before);
    expect(await askedOf()).toBe(first.socketId);
  });

  test("only known events count", async () => {
    const { connect, askedOf } = await setUp();
    const [first, second] = [await connect(), await connect()];
    second.emit("subscribe");
    first.emit("tool_result", { nothing: 1 });
    expect(await askedOf()).toBe(second.socketId);
  });

  test("is one that announced the tool, if any did [OR-189]", async () => {
    const { connect, askedOf, clock } = await setUp();
    const [chart, map] = [await connect(), await connect()];
    chart.emit("announce_tools", { tools: ["act"], actions: [] });
    clock.advance(1);
    map.emit("announce_tools", { tools: ["other"], actions: ["act"] });
    expect(await askedOf()).toBe(chart.socketId);
    // A new announcement replaces the previous one.
    chart.emit("announce_tools", { tools: [], actions: [] });
    clock.advance(1);
    map.emit("subscribe");
    expect(await askedOf()).toBe(map.socketId);
    chart.emit("announce_tools", { tools: ["act"] });
    map.emit("subscribe");
    expect(await askedOf({ socketId: map.socketId })).toBe(map.socketId);
    expect(await askedOf()).toBe(chart.socketId);
  });

  test("is remembered across an eviction, and across a lost connection [OR-189]", async () => {
    const { connect, askedOf, session } = await setUp();
    const chart = await connect();
    const other = await connect();
    chart.emit("announce_tools", { tools: ["act"], actions: [] });
    other.emit("subscribe");
    session.restart();
    expect(await askedOf()).toBe(chart.socketId);
    chart.drop();
    other.emit("subscribe");
    await chart.comeBack();
    expect(await askedOf()).toBe(chart.socketId);
  });
});

describe("a result counts once, and only from the tab that was called [OR-186]", () => {
  test("sent twice: the first counts, the second is refused and logged with its id", async () => {
    const { connect, callOf, refused } = await setUp();
    const tab = await connect();
    const { call, rest } = await callOf();
    tab.answer(call, "first");
    tab.answer(call, "second");
    expect(await rest()).toMatchObject({ status: "done", output: "first" });
    expect(refused()).toMatchObject([{ kind: "browser", invocationId: call.toolCallId }]);
  });

  test("from another tab of this user and session: refused, and the call keeps waiting", async () => {
    const { connect, callOf, refused } = await setUp();
    const asked = await connect();
    const other = await connect();
    const { call, rest } = await callOf({ socketId: asked.socketId });
    other.answer(call, "stolen");
    expect(refused()).toMatchObject([{ reason: "other socket", invocationId: call.toolCallId }]);
    asked.answer(call, "mine");
    expect(await rest()).toMatchObject({ output: "mine" });
  });

  test("under the call's bare id, of the other kind, of another session: refused", async () => {
    const { connect, callOf, refused, session } = await setUp();
    const tab = await connect();
    const { call, rest } = await callOf();
    const [bare = ""] = call.toolCallId.split(":");
    tab.answer({ ...call, toolCallId: bare }, 1);
    tab.answer({ ...call, kind: "action" }, 2);
    tab.answer({ ...call, sessionId: "another" }, 3);
    tab.answer({ ...call, toolCallId: "my secret" }, 4);
    expect(refused()).toMatchObject([
      { reason: "unknown call", invocationId: bare },
      { reason: "other kind", kind: "action" },
      { reason: "foreign session" },
      { reason: "unknown call" },
    ]);
    expect(JSON.stringify(session.logged)).not.toContain("my secret");
    tab.answer(call, "right");
    expect(await rest()).toMatchObject({ output: "right" });
  });

  test("after an eviction it still counts, only from that tab", async () => {
    const { connect, callOf, refused, session } = await setUp();
    const asked = await connect();
    const other = await connect();
    const { call } = await callOf({ socketId: asked.socketId });
    session.restart();
    other.answer(call, "stolen");
    asked.answer(call, "mine");
    await session.settled();
    expect(refused()).toMatchObject([{ reason: "other socket" }]);
    const { messages } = valueOf(await session.core.messagePage(OWNER, { limit: 1 }));
    expect(messages.at(-1)?.toolCalls).toMatchObject([{ status: "done", output: '"mine"' }]);
  });
});

describe("an unknown outcome [OR-187]", () => {
  const unknown = (invocationId: string) => ({
    success: false,
    code: "FRONTEND_OUTCOME_UNKNOWN",
    outcome: "unknown",
    invocationId,
    message: expect.stringContaining("is unknown"),
  });

  test.each(["browser", "action"] as const)(
    "the deadline of a %s call passes: done, never sent again",
    async (kind) => {
      const { connect, callOf, session, tabs, refused } = await setUp(kind);
      const tab = await connect();
      const { call, rest } = await callOf();
      session.clock.advance(15_000);
      session.core.watch();
      tab.answer(call, "late");
      const end = await rest();
      expect(end).toMatchObject({ status: "done" });
      expect(end["error"]).toBeUndefined();
      expect(JSON.parse(String(end["output"]))).toEqual(unknown(call.toolCallId));
      expect(tabs.written).toHaveLength(1);
      expect(refused()).toMatchObject([{ invocationId: call.toolCallId }]);
    },
  );

  test("the socket closes while the result is on its way: it arrives too late from any socket", async () => {
    const { connect, callOf, tabs, refused } = await setUp("action");
    const asked = await connect();
    const { call, rest } = await callOf();
    asked.leave();
    const again = await connect();
    again.answer(call, { success: true });
    const end = await rest();
    expect(end["status"]).toBe("done");
    expect(JSON.parse(String(end["output"]))).toEqual(unknown(call.toolCallId));
    expect([tabs.written.length, refused()]).toMatchObject([1, [{ invocationId: call.toolCallId }]]);
  });

  test("an action whose client does not know the outcome either is done, not failed", async () => {
    const { connect, callOf } = await setUp("action");
    const tab = await connect();
    const { call, rest } = await callOf();
    const said = { success: false, code: "FRONTEND_OUTCOME_UNKNOWN", outcome: "unknown" };
    tab.answer(call, said);
    expect(await rest()).toMatchObject({ status: "done", output: JSON.stringify(said) });
  });

  test("no socket could receive it: it fails after the wait, because it certainly did not run [OR-99]", async () => {
    const { session } = await setUp();
    const tools = [{ ...declared, name: "act" }];
    const started = valueOf(await session.core.startRun(OWNER, turn("go", { tools })));
    const frames = readFrames(started.frames);
    await frames.until(({ event }) => event === "tool_call");
    session.clock.advance(5_000);
    session.core.watch();
    const call = (await frames.rest()).findLast(({ event }) => event === "tool_call");
    expect(call?.data).toMatchObject({ status: "error", error: "No browser is connected" });
  });
});
