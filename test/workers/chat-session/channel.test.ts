/**
 * The chat channel inside workerd: requests, the room, and calls of the client's tools. Some tests evict the object
 * between every two steps.
 */
import type { RunRequest } from "../../../oracle/run-request.ts";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { SOCKETS_PER_SESSION } from "../../../durable-objects/chat-session/sockets/chat-channel.ts";
import { clientEventNames } from "../../../protocol/socket-events.ts";
import { OWNER, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { readFrames } from "../../support/oracle/frame-reader.ts";
import { plugin, tool } from "../../support/plugins/small-plugins.ts";
import type { RawSocket } from "../../support/oracle/raw-socket.ts";
import type { Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { connect, open, script, stored } from "./channel-under-test.ts";
import type { ChatSessionUnderTest } from "./session-under-test.ts";

const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const outcomeUnknown = expect.stringContaining('"code":"FRONTEND_OUTCOME_UNKNOWN"');
const clientTool = (name: string) => ({ name, description: "", schema: {} });
const call = (name: string): Beat => ({ call: name, input: { a: 1 } });

/** Begins a run and reads the first events that these sockets receive of it. */
async function begin(
  session: ChatSessionUnderTest,
  change: Partial<RunRequest>,
  ...sockets: readonly RawSocket[]
): Promise<string> {
  // As another surface calls it, because a stream without a reader would prevent an eviction.
  const asked = turn("go", { client: "ussd", requestId: "req-1", ...change });
  const { runId } = valueOf(await session.chat.acceptRun(OWNER, asked));
  for (const socket of sockets) expect(await socket.event("message_cache_invalidation")).toEqual(invalidated(session));
  return runId;
}

function invalidated({ id: sessionId }: ChatSessionUnderTest) {
  const common = { sessionId, requestId: "req-1" };
  return { ...common, eventName: "message_cache_invalidation", payload: { ...common, sessionId: "" } };
}

async function whole(session: ChatSessionUnderTest, runId: string) {
  return readFrames(valueOf(await session.chat.followRun(OWNER, runId, 0)).frames).rest();
}

describe("requests of a client, with an eviction between every two steps [OR-148]", () => {
  test("ping, status, subscribe, list-events [OR-117]", async () => {
    const session = await script([]);
    const socket = await connect(session);
    const ask = async (name: string, answer: string) => {
      await evictDurableObject(session.stub);
      socket.emit(name);
      return socket.event(answer);
    };
    expect(await ask("ping", "pong")).toEqual({ timestamp: isoDate, sessionId: session.id });
    expect(await ask("status", "status")).toEqual({
      connected: true,
      sessionId: session.id,
      activeSessions: 1,
      totalConnections: 1,
      timestamp: isoDate,
    });
    expect(await ask("subscribe", "subscribed")).toEqual({ sessionId: session.id, timestamp: isoDate });
    expect(await ask("list-events", "available-events")).toMatchObject({
      clientEvents: [...clientEventNames],
      serverEvents: expect.arrayContaining(["connected", "message_cache_invalidation"]),
    });
  });

  test("unknown, malformed and foreign events are ignored, but acknowledged [OR-122]", async () => {
    const session = await script([]);
    const socket = await connect(session);
    socket.emit("shutdown", { now: true });
    socket.emit("tool_result", { toolCallId: 5 });
    socket.emit("tool_result", { toolCallId: "bt_1", sessionId: "another", result: 1 });
    socket.send('427["ping"]');
    expect([await socket.next(), await socket.next()].map((frame) => frame.slice(0, 8))).toEqual(
      expect.arrayContaining(["437[]", '42["pong']),
    );
    expect(socket.unread).toEqual([]);
  });

  test("binary frames and other namespaces are refused [OR-111]", async () => {
    const session = await script([]);
    const socket = await connect(session);
    socket.send('40/custom,{"invocation":"x"}');
    expect(await socket.next()).toBe('44/custom,{"message":"Invalid namespace"}');
    socket.send('451-["ping",{"_placeholder":true,"num":0}]');
    expect((await socket.closed).code).toBe(4400);
  });
});

describe("events for every socket of the session [OR-119, OR-121]", () => {
  test("tool calls in hybrid form, and invalidations: on acceptance, after done, and when the title arrives [OR-120]", async () => {
    const session = await script([[call("look")], ["ok"]]);
    const sockets = [await connect(session), await connect(session)];
    const runId = await begin(session, {}, ...sockets);
    const [began, ended] = (await whole(session, runId)).filter(({ event }) => event === "tool_call");
    for (const socket of sockets) {
      const events = [await socket.event("tool_call"), await socket.event("tool_call")];
      expect(events).toEqual(
        [began, ended].map((frame) => ({ ...frame?.data, eventName: "tool_call", payload: frame?.data })),
      );
      for (const _ of ["done", "title"])
        expect(await socket.event("message_cache_invalidation")).toEqual(invalidated(session));
    }
  });

  test("events of a plugin, with session and request added, each in the form that its clients know", async () => {
    const shown = { componentName: "Chart", args: { of: "stoves" }, status: "done", eventId: "e-1" } as const;
    const shows = plugin("shows", {
      getTools: ({ emit }) => [
        tool("show", async () => {
          emit("router_update", { step: "charts" });
          emit("render_component", shown);
          return null;
        }),
      ],
    });
    const session = await script([[call("show")], ["ok"]], [shows]);
    const socket = await connect(session);
    await begin(session, {}, socket);
    await socket.event("tool_call");
    const common = { sessionId: session.id, requestId: "req-1" };
    expect(await socket.event("router_update")).toEqual({ ...common, step: "charts" });
    expect(await socket.event("render_component")).toEqual({
      ...common,
      ...shown,
      eventName: "render_component",
      payload: { ...common, ...shown },
    });
  });

  test("a socket that disconnects stops no run [OR-44, OR-55]", async () => {
    const session = await script([["Hello"]]);
    const socket = await connect(session);
    const runId = await begin(session, {});
    socket.close();
    expect((await whole(session, runId)).at(-1)?.data).toMatchObject({ status: "finished" });
  });

  test("the session's deletion disconnects them [OR-44]", async () => {
    const session = await script([]);
    const sockets = [await connect(session), await connect(session)];
    valueOf(await session.chat.destroy(OWNER));
    for (const socket of sockets) {
      expect(await socket.next()).toBe("41");
      await socket.closed;
    }
    expect(await stored(session)).toEqual({ tables: [], alarm: null });
  });

  test("of nine sockets the oldest is disconnected [OR-114]", async () => {
    expect(SOCKETS_PER_SESSION).toBe(8);
    const session = await script([]);
    const sockets: RawSocket[] = [];
    for (let count = 1; count <= SOCKETS_PER_SESSION + 1; count += 1) sockets.push(await connect(session));
    expect(await sockets[0]?.next()).toBe("41");
    sockets.at(-1)?.emit("status");
    expect(await sockets.at(-1)?.event("status")).toMatchObject({ totalConnections: SOCKETS_PER_SESSION });
  });

  test("an oldest socket that was lost and has reconnected is not disconnected", async () => {
    const session = await script([]);
    const lost = await open(session);
    lost.send(`40${JSON.stringify({ invocation: OWNER })}`);
    const { sid, pid } = JSON.parse((await lost.next()).slice(2)) as { sid: string; pid: string };
    lost.close();
    const others: RawSocket[] = [];
    for (let count = 1; count <= SOCKETS_PER_SESSION; count += 1) others.push(await connect(session));
    const back = await open(session);
    back.send(`40${JSON.stringify({ invocation: OWNER, pid })}`);
    expect(JSON.parse((await back.next()).slice(2))).toEqual({ sid, pid });
    await back.event("connected");
    expect(await others[0]?.next()).toBe("41");
    back.emit("status");
    expect(await back.event("status")).toMatchObject({ totalConnections: SOCKETS_PER_SESSION });
  });
});

describe("calls of the client's tools [OR-98]", () => {
  const clientTools = { tools: [clientTool("pageTitle")], agActions: [clientTool("open_map")] };

  test("a browser tool and an action in one turn, at exactly one socket, with an eviction between every two steps [OR-104]", async () => {
    const session = await script([[call("pageTitle"), call("open_map")], ["Done."]]);
    const [older, newer] = [await connect(session), await connect(session)];
    await evictDurableObject(session.stub);
    const runId = await begin(session, clientTools, older, newer);
    const shared = { sessionId: session.id, requestId: "req-1", args: { a: 1 } };
    await newer.event("tool_call");
    const browser = await newer.event("browser_tool_call");
    expect(browser).toEqual({ ...shared, toolCallId: expect.stringMatching(/^bt_/), toolName: "pageTitle" });
    const action = await newer.event("action_call");
    expect(action).toEqual({
      ...shared,
      toolCallId: expect.stringMatching(/^ag_/),
      toolName: "open_map",
      status: "isRunning",
    });
    await evictDurableObject(session.stub);
    newer.emit("tool_result", { toolCallId: browser["toolCallId"], result: "Stoves" });
    expect(await newer.event("tool_call")).toMatchObject({
      eventId: String(browser["toolCallId"]).split(":")[0],
      status: "done",
    });
    await evictDurableObject(session.stub);
    newer.emit("action_call_result", {
      sessionId: session.id,
      toolCallId: action["toolCallId"],
      result: { success: true },
    });
    const frames = await whole(session, runId);
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
    const ended = frames
      .filter(({ data }) => data["status"] === "done")
      .map(({ event, data }) => [event, data["output"]]);
    expect(ended).toEqual([
      ["tool_call", "Stoves"],
      ["action_call", '{"success":true}'],
    ]);
    expect(await older.event("tool_call")).toMatchObject({ status: "isRunning" });
    expect(older.unread.filter((frame) => /browser_tool_call|action_call"/.test(frame))).toEqual([]);
  });

  test("metadata.socketId names the tab", async () => {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const [older] = [await connect(session), await connect(session)];
    const runId = await begin(session, { ...clientTools, metadata: { socketId: older?.id ?? "" } });
    await older?.event("tool_call");
    const asked = await older?.event("browser_tool_call");
    expect(asked).toMatchObject({ toolName: "pageTitle" });
    older?.emit("tool_result", { toolCallId: asked?.["toolCallId"], result: "Stoves" });
    await whole(session, runId);
  });

  test("the alarm ends an unanswered call, and one without a socket", async () => {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const runId = await begin(session, clientTools);
    await overdue(session);
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    expect((await whole(session, runId)).at(3)?.data).toMatchObject({
      status: "error",
      error: "No browser is connected",
    });
  });

  test("the tab that announced the tool gets the call, the other's result is refused, with an eviction between every two steps [OR-186, OR-189]", async () => {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const [holder, other] = [await connect(session), await connect(session)];
    holder.emit("announce_tools", { tools: ["pageTitle"], actions: [] });
    await evictDurableObject(session.stub);
    other.emit("ping");
    await other.event("pong");
    await evictDurableObject(session.stub);
    const runId = await begin(session, clientTools, holder, other);
    await Promise.all([holder, other].map((socket) => socket.event("tool_call")));
    const { toolCallId } = await holder.event("browser_tool_call");
    await evictDurableObject(session.stub);
    other.emit("tool_result", { toolCallId, result: "stolen" });
    other.emit("ping");
    await other.event("pong");
    await evictDurableObject(session.stub);
    holder.emit("tool_result", { toolCallId, result: "Stoves" });
    expect((await whole(session, runId)).findLast(({ event }) => event === "tool_call")?.data).toMatchObject({
      output: "Stoves",
    });
  });

  test("a socket that connects in time gets the waiting call", async () => {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const runId = await begin(session, clientTools);
    const socket = await connect(session);
    const { toolCallId } = await socket.event("browser_tool_call");
    socket.emit("tool_result", { toolCallId, error: "no page" });
    expect((await whole(session, runId)).at(3)?.data).toMatchObject({ status: "error", error: "no page" });
  });

  test("the chosen socket disconnects first: the outcome is unknown, the other one is not called [OR-187]", async () => {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const [older, newer] = [await connect(session), await connect(session)];
    const runId = await begin(session, clientTools, newer);
    await newer.event("tool_call");
    await newer.event("browser_tool_call");
    newer.send("41");
    expect((await whole(session, runId)).at(3)?.data).toMatchObject({ status: "done", output: outcomeUnknown });
    expect(older?.unread.filter((frame) => frame.includes("browser_tool_call"))).toEqual([]);
  });

  /** A session with a call whose only socket is lost, evicted afterwards. */
  async function lostInACall() {
    const session = await script([[call("pageTitle")], ["Done."]]);
    const socket = await open(session);
    socket.send(`40${JSON.stringify({ invocation: OWNER })}`);
    const { pid } = JSON.parse((await socket.next()).slice(2)) as { pid: string };
    await socket.event("connected");
    const runId = await begin(session, clientTools, socket);
    await socket.event("tool_call");
    const { toolCallId } = await socket.event("browser_tool_call");
    socket.close();
    await evictDurableObject(session.stub);
    const outcome = async () => (await whole(session, runId)).filter(({ event }) => event === "tool_call").at(-1)?.data;
    return { session, pid, toolCallId, outcome };
  }

  test("the chosen socket is lost and reconnects in time: it answers", async () => {
    const { session, pid, toolCallId, outcome } = await lostInACall();
    const back = await open(session);
    back.send(`40${JSON.stringify({ invocation: OWNER, pid })}`);
    await back.next();
    back.emit("tool_result", { toolCallId, result: "Stoves" });
    expect(await outcome()).toMatchObject({ output: "Stoves" });
  });

  test("the chosen socket is lost for 5 s: the alarm ends the call, its outcome unknown", async () => {
    const { session, outcome } = await lostInACall();
    await runInDurableObject(
      session.stub,
      (_, { storage }) => void storage.sql.exec("UPDATE socketio_sockets SET lost_at = lost_at - 5000"),
    );
    expect(await runDurableObjectAlarm(session.stub)).toBe(true);
    expect(await outcome()).toMatchObject({ status: "done", output: outcomeUnknown });
  });

  /** Makes the call overdue. */
  function overdue({ stub }: ChatSessionUnderTest) {
    return runInDurableObject(stub, (_, { storage }) => void storage.sql.exec("UPDATE client_calls SET deadline = 0"));
  }
});
