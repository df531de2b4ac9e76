/**
 * socket.io-client 4.8 with the running oracle: with default options, which start with polling, and with websockets only, including
 * after the server is killed.
 */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { eventsOf } from "../support/oracle/frame-reader.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";
import { createSocketUser, type SocketUser, type Tab } from "../support/oracle/socket-user.ts";
import { NEW_REQUEST_ID } from "../support/server/request-ids.ts";

const ALICE = 1;
const BOB = 2;
const clientTool = (name: string) => ({ name, description: `does ${name}`, schema: {} });
/** The built-in model calls the named tools, line by line. */
const turn = {
  message: '/tool pageTitle {"of":"this"}\n/tool open_map {"at":"here"}',
  tools: [clientTool("pageTitle")],
  agActions: [clientTool("open_map")],
};

let server: RunningServer;
let alice: SocketUser;
const tabs: Tab[] = [];

const started = disposeAfterTests();
beforeAll(async () => {
  server = started(await startRunningServer());
  alice = await createSocketUser(server.url, ALICE);
});
afterEach(() => {
  for (const { socket } of tabs.splice(0)) socket.disconnect();
});

function connect(user: SocketUser, ...parts: Parameters<SocketUser["connect"]>): Tab {
  const tab = user.connect(...parts);
  tabs.push(tab);
  return tab;
}

async function upgraded({ socket: { io } }: Tab): Promise<void> {
  if (io.engine.transport.name === "websocket") return;
  await new Promise<void>((resolve) => void io.engine.once("upgrade", () => resolve()));
}

async function answer({ socket, event }: Tab, sessionId: string) {
  const browser = await event("browser_tool_call");
  socket.emit("tool_result", { toolCallId: browser["toolCallId"], result: "Stoves" });
  const action = await event("action_call");
  socket.emit("action_call_result", { sessionId, toolCallId: action["toolCallId"], result: { success: true } });
  return { browser, action };
}

describe.each([
  ["default options", {}],
  ["websocket alone", { transports: ["websocket"] }],
])("%s", (_, options) => {
  test("connected, ping, status, subscribe, list-events [OR-105, OR-117]", async () => {
    const sessionId = await alice.openSession();
    const tab = connect(alice, sessionId, options);
    expect(await tab.event("connected")).toMatchObject({ message: "Connected successfully", sessionId });
    tab.socket.emit("ping");
    expect(await tab.event("pong")).toMatchObject({ sessionId });
    tab.socket.emit("status");
    expect(await tab.event("status")).toMatchObject({ connected: true, totalConnections: 1, activeSessions: 1 });
    tab.socket.emit("subscribe");
    expect(await tab.event("subscribed")).toMatchObject({ sessionId });
    tab.socket.emit("list-events");
    const { clientEvents, serverEvents } = await tab.event("available-events");
    expect([clientEvents, serverEvents]).toMatchObject([{ length: 7 }, { length: 12 }]);
  });

  test("a browser tool and an action in one run [OR-97, OR-105]", async () => {
    const sessionId = await alice.openSession();
    const tab = connect(alice, sessionId, options);
    await tab.event("connected");
    const { frames } = await alice.send(sessionId, turn);
    const { browser, action } = await answer(tab, sessionId);
    expect(browser).toMatchObject({ sessionId, toolName: "pageTitle", args: { of: "this" } });
    expect(action).toMatchObject({ sessionId, toolName: "open_map", args: { at: "here" }, status: "isRunning" });
    const all = await frames.rest();
    const text = all.filter(({ event }) => event === "message").map(({ data }) => data["content"]);
    expect(text.join("")).toBe('Tool pageTitle returned: Stoves\nTool open_map returned: {"success":true}');
    expect(eventsOf(all).filter((name) => name.endsWith("_call"))).toHaveLength(4);
    expect(await tab.event("message_cache_invalidation", 1)).toMatchObject({ sessionId, payload: { sessionId: "" } });
    expect(tab.events.filter(({ name }) => name === "tool_call")).toHaveLength(2);
    expect(tab.events.filter(({ name }) => name === "action_call")).toHaveLength(1);
  });

  test("a rejected client receives only the reason [OR-108]", async () => {
    const sessionId = await alice.openSession();
    const bob = await createSocketUser(server.url, BOB);
    const refused = [
      connect(bob, sessionId, options),
      connect(alice, undefined, options),
      connect(alice, "not-a-session", options),
      connect(alice, crypto.randomUUID(), options),
      connect(alice, sessionId, { ...options, auth: {} }),
      connect(alice, sessionId, { ...options, auth: { invocation: `${alice.token}x` } }),
    ];
    expect(await Promise.all(refused.map((tab) => tab.refused))).toEqual([
      "Session not found",
      "sessionId is required",
      "Session not found",
      "Session not found",
      expect.stringMatching(/^Unauthorized: Missing UCAN authentication/),
      "Unauthorized: Invalid UCAN invocation",
    ]);
    expect(refused.flatMap(({ events }) => events)).toEqual([]);
    expect(refused.map(({ socket }) => socket.connected || socket.active)).not.toContain(true);
  });

  test("a tab that briefly lost its connection receives missed events once and in order [OR-112]", async () => {
    const sessionId = await alice.openSession();
    const away = connect(alice, sessionId, { ...options, reconnectionDelay: 500, reconnectionDelayMax: 500 });
    await away.event("connected");
    const here = connect(alice, sessionId, options);
    await here.event("connected");
    // During an upgrade, the client would delay its close packet, and show events until then twice.
    await upgraded(away);
    away.socket.io.engine.close();
    const { frames } = await alice.send(sessionId, { ...turn, metadata: { socketId: here.socket.id } });
    await answer(here, sessionId);
    await frames.rest();
    await away.event("connected", 1);
    expect(away.socket.recovered).toBe(true);
    await away.event("message_cache_invalidation", 1);
    const missed = away.events.filter(({ name }) => name === "tool_call").map(({ payload }) => payload["status"]);
    expect(missed).toEqual(["isRunning", "done"]);
    expect(away.events.filter(({ name }) => /^(browser_tool|action)_call$/.test(name))).toEqual([]);
  });

  test("a network failure during a call loses nothing [OR-101]", async () => {
    const sessionId = await alice.openSession();
    const tab = connect(alice, sessionId, { ...options, reconnectionDelay: 500, reconnectionDelayMax: 500 });
    await tab.event("connected");
    await upgraded(tab);
    const { frames } = await alice.send(sessionId, { ...turn, message: "/tool pageTitle {}" });
    const { toolCallId } = await tab.event("browser_tool_call");
    tab.socket.io.engine.close();
    // The client buffers it until it is connected again.
    tab.socket.emit("tool_result", { toolCallId, result: "Stoves" });
    const text = (await frames.rest()).filter(({ event }) => event === "message").map(({ data }) => data["content"]);
    expect(text.join("")).toBe("Tool pageTitle returned: Stoves");
    expect(tab.socket.recovered).toBe(true);
    expect(tab.events.filter(({ name }) => name === "browser_tool_call")).toHaveLength(1);
  });

  test("after the server is killed during a call, the client reconnects, and nothing is lost or duplicated [OR-101, OR-148]", async () => {
    const sessionId = await alice.openSession();
    const tab = connect(alice, sessionId, { ...options, reconnectionDelay: 100, reconnectionDelayMax: 500 });
    await tab.event("connected");
    const { runId } = await alice.send(sessionId, turn);
    await Promise.all([tab.event("browser_tool_call"), tab.event("action_call")]);
    await server.kill();
    await server.startAgain();
    await tab.event("connected", 1);
    await answer(tab, sessionId);
    const all = await (await alice.follow(runId)).rest();
    expect(all.at(-1)?.data).toMatchObject({ status: "finished" });
    const text = all.filter(({ event }) => event === "message").map(({ data }) => data["content"]);
    expect(text.join("")).toBe('Tool pageTitle returned: Stoves\nTool open_map returned: {"success":true}');
    // A call is sent once, whatever its outcome.
    expect(tab.events.filter(({ name }) => /^(browser_tool|action)_call$/.test(name))).toHaveLength(2);

    const second = await alice.send(sessionId, turn);
    const nextCall = await tab.event("browser_tool_call", 1);
    tab.socket.emit("tool_result", { toolCallId: nextCall["toolCallId"], result: "again" });
    const nextAction = await tab.event("action_call", 1);
    tab.socket.emit("action_call_result", { sessionId, toolCallId: nextAction["toolCallId"], result: null });
    const secondText = (await second.frames.rest())
      .filter(({ event }) => event === "message")
      .map(({ data }) => data["content"]);
    expect(secondText.join("")).toBe("Tool pageTitle returned: again\nTool open_map returned: null");
    const { messages }: { messages: { type: string }[] } = await (
      await alice.call("GET", `/messages/${sessionId}`)
    ).json();
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
  });
});

test.each(["polling", "websocket"])("deleting the session disconnects its sockets: %s [OR-44]", async (transport) => {
  const sessionId = await alice.openSession();
  const tab = connect(alice, sessionId, { transports: [transport] });
  await tab.event("connected");
  const disconnected = new Promise((resolve) => void tab.socket.on("disconnect", resolve));
  await alice.call("DELETE", `/sessions/${sessionId}`);
  expect(await disconnected).toBe("io server disconnect");
});

test("rejections by Engine.IO have the oracle's error body [OR-106]", async () => {
  const response = await fetch(`${server.url}/socket.io/?EIO=3&transport=polling&sessionId=${crypto.randomUUID()}`);
  expect(response.status).toBe(400);
  expect(response.headers.get("X-Request-Id")).toMatch(NEW_REQUEST_ID);
  expect(await response.json()).toMatchObject({
    statusCode: 400,
    error: "Bad Request",
    code: 5,
    message: "Unsupported protocol version",
    requestId: response.headers.get("X-Request-Id"),
  });
});

test("posts with unread bodies get their error response, and break nothing", async () => {
  const sessionId = await alice.openSession();
  const path = `${server.url}/socket.io/?EIO=4&transport=polling&sessionId=${sessionId}`;
  const refused = async (sid: string, bytes: number): Promise<number> => {
    const response = await fetch(`${path}&sid=${sid}`, { method: "POST", body: "x".repeat(bytes) });
    await response.text();
    return response.status;
  };
  const opened = await (await fetch(path)).text();
  const { sid } = JSON.parse(opened.slice(1)) as { sid: string };
  const unknown = await Promise.all(Array.from({ length: 25 }, () => refused("unknown", 900_000)));
  expect([...new Set(unknown)]).toEqual([400]);
  expect(await refused(sid, 3_000_000)).toBe(413);
  expect(server.log()).not.toContain("Can't read from request stream");
});
