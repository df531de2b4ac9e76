/** The session's socket on a real Socket.IO server that refuses, ends and repeats as an oracle may. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Server, type Socket as ServerSocket } from "socket.io";
import { createClientTools, type ClientTools } from "./client-tools.ts";
import { openSessionSocket, type SessionSocket } from "./socket.ts";
import type { Tokens } from "./tokens.ts";

const SESSION = "S";
let server: Server;
let url: string;
/** The server's sockets, in order of their connections, and the events that clients sent. */
let sockets: ServerSocket[];
let heard: (readonly [string, unknown])[];
/** The oracle's responses to the next CONNECTs; if the list is empty, it accepts. */
let refusals: { readonly message: string; readonly data?: object }[];
let handshakes: unknown[];
/** The oracle's address is unknown until this promise resolves. */
let reachable: Promise<void>;
const opened: SessionSocket[] = [];

beforeEach(async () => {
  [sockets, heard, refusals, handshakes] = [[], [], [], []];
  reachable = Promise.resolve();
  const http = createServer();
  server = new Server(http, { path: "/oracle/socket.io", connectionStateRecovery: { skipMiddlewares: false } });
  server.use((socket, next) => {
    handshakes.push(socket.handshake.auth);
    const refusal = refusals.shift();
    next(refusal === undefined ? undefined : Object.assign(new Error(refusal.message), { data: refusal.data }));
  });
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.onAny((name: string, payload: unknown) => {
      heard.push([name, payload]);
      if (name === "ping") socket.emit("pong", {});
    });
    socket.emit("connected", { sessionId: SESSION });
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/oracle`;
});

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.close();
  await server.close();
});

function open(tools: ClientTools = createClientTools(), renewals: readonly boolean[] = []) {
  const seen: unknown[] = [];
  const stages: number[] = [];
  let minted = 1;
  const tokens: Pick<Tokens, "handshake" | "renew"> = {
    handshake: async () => ({ invocation: `invocation ${minted}` }),
    async renew(stage) {
      stages.push(stage);
      minted += 1;
      return renewals[stages.length - 1] ?? true;
    },
  };
  const note = (name: string) => (value?: unknown) => void seen.push(value === undefined ? [name] : [name, value]);
  const socket = openSessionSocket({
    sessionId: SESSION,
    userDid: "did:key:alice",
    async socketUrl() {
      await reachable;
      return url;
    },
    tokens: tokens as Tokens,
    tools,
    handlers: {
      onConnected: (connected, refusal) => void seen.push(refusal === undefined ? connected : refusal.message),
      onEvent: note("event"),
      onInvalidated: note("invalidated"),
      onQuestion: note("question"),
      onSignIn: note("sign-in"),
    },
  });
  opened.push(socket);
  return { socket, seen, stages };
}

/** The server's socket after this number of connections. */
async function connection(count = 1): Promise<ServerSocket> {
  await vi.waitFor(() => expect(sockets.length).toBeGreaterThanOrEqual(count), { timeout: 20_000, interval: 5 });
  const socket = sockets[count - 1];
  if (socket === undefined) throw new Error("a connection that was counted is there");
  return socket;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 5 });
const results = () => heard.filter(([name]) => name.endsWith("_result"));

function toolsOf(fn: (args: Record<string, unknown>) => Promise<unknown>): ClientTools {
  const tools = createClientTools();
  tools.setBrowserTools({}, [{ toolName: "pageTitle", description: "", schema: {}, fn }]);
  tools.setActions({}, [{ name: "open_map", description: "", parameters: {}, handler: fn }]);
  return tools;
}

const call = (toolCallId: string, toolName = "pageTitle", args: object = {}) => ({
  sessionId: SESSION,
  requestId: "R",
  toolCallId,
  toolName,
  args,
});

test("a session connects below the oracle's path and announces the page's tools, once for joint changes [SD-86]", async () => {
  const tools = toolsOf(async () => undefined);
  const { socket, seen } = open(tools);
  const { handshake } = await connection();
  expect(handshake).toMatchObject({
    query: { sessionId: SESSION, userDid: "did:key:alice" },
    auth: { invocation: "invocation 1" },
  });
  await until(() => expect(heard).toHaveLength(1));
  const owner = {};
  for (const name of ["one", "two"])
    tools.setBrowserTools(owner, [{ toolName: name, description: "", schema: {}, fn: async () => undefined }]);
  await until(() => expect(heard).toHaveLength(2));
  tools.remove(owner);
  tools.setBrowserTools(owner, [{ toolName: "two", description: "", schema: {}, fn: async () => undefined }]);
  expect(socket.answer("ap_1:u", { approved: true })).toBe(true);
  await until(() => expect(results()).toHaveLength(1));
  expect(heard).toEqual([
    ["announce_tools", { tools: ["pageTitle"], actions: ["open_map"] }],
    ["announce_tools", { tools: ["pageTitle", "two"], actions: ["open_map"] }],
    ["action_call_result", { toolCallId: "ap_1:u", sessionId: SESSION, result: { approved: true } }],
  ]);
  expect([seen, socket.id()]).toEqual([[true], sockets[0]?.id]);
});

test("a network without websockets is reached by polling [SD-94]", async () => {
  server.engine.opts.transports = ["polling"];
  const { seen } = open(toolsOf(async () => "title"));
  const oracle = await connection();
  await until(() => expect(seen).toEqual([true]));
  expect(oracle.conn.transport.name).toBe("polling");
  oracle.emit("browser_tool_call", call("bt_1:u"));
  await until(() => expect(results()).toMatchObject([["tool_result", { toolCallId: "bt_1:u", result: "title" }]]));
});

test("each call runs once, even if it is repeated, and is answered under its own id [SD-88]", async () => {
  const made: unknown[] = [];
  const { seen } = open(toolsOf(async (args) => (made.push(args), { at: args["at"] })));
  const oracle = await connection();
  oracle.emit("browser_tool_call", call("bt_1:u", "pageTitle", { at: 1 }));
  oracle.emit("browser_tool_call", call("bt_1:u", "pageTitle", { at: 1 }));
  oracle.emit("action_call", { ...call("ag_1:u", "open_map", { at: 2 }), status: "isRunning" });
  oracle.emit("action_call", { ...call("ag_1:u", "open_map", { at: 2 }), status: "done" });
  oracle.emit("action_call", { ...call("ag_2:u", "open_map", { at: 3 }), status: "done" });
  oracle.emit("browser_tool_call", { ...call("bt_2:u"), sessionId: "another" });
  oracle.emit("browser_tool_call", call("bt_3:u", "pageTitle", { at: 4 }));
  await until(() => expect(results()).toHaveLength(3));
  expect(results()).toEqual([
    ["tool_result", { toolCallId: "bt_1:u", sessionId: SESSION, result: { at: 1 } }],
    ["action_call_result", { toolCallId: "ag_1:u", sessionId: SESSION, result: { at: 2 } }],
    ["tool_result", { toolCallId: "bt_3:u", sessionId: SESSION, result: { at: 4 } }],
  ]);
  expect([made, seen]).toEqual([[{ at: 1 }, { at: 2 }, { at: 4 }], [true]]);
});

test("an error of a handler, and a result that no packet can hold, becomes an error and keeps the connection [SD-90]", async () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const outcomes: (() => unknown)[] = [
    () => {
      throw new Error("no title here");
    },
    () => cycle,
    () => 1n,
    () => "x".repeat(1_000_000),
    () => new Uint8Array(3),
    () => undefined,
  ];
  const { seen } = open(toolsOf(async ({ nth }) => outcomes[Number(nth)]?.()));
  const oracle = await connection();
  for (const nth of outcomes.keys()) oracle.emit("browser_tool_call", call(`bt_${nth}:u`, "pageTitle", { nth }));
  oracle.emit("action_call", { ...call("ag_0:u", "open_map", { nth: 0 }), status: "isRunning" });
  await until(() => expect(results()).toHaveLength(7));
  const answers = new Map(results().map(([, payload]) => [(payload as { toolCallId: string }).toolCallId, payload]));
  expect(["bt_0", "bt_1", "bt_2", "bt_3", "bt_4", "bt_5", "ag_0"].map((id) => answers.get(`${id}:u`))).toMatchObject([
    { error: "no title here" },
    { error: expect.stringMatching(/^The result of pageTitle cannot be sent as JSON: .*circular/) },
    { error: expect.stringMatching(/^The result of pageTitle cannot be sent as JSON: .*BigInt/) },
    { error: "The result of pageTitle has 1000002 bytes of JSON, more than 900000." },
    { error: "The result of pageTitle cannot be sent as JSON: it contains binary data" },
    { result: null },
    { result: { success: false, error: "no title here" } },
  ]);
  expect(seen).toEqual([true]);
});

test("questions to the user never reach a handler, and events for the page have one form [SD-91, SD-92]", async () => {
  const made: unknown[] = [];
  const { seen } = open(toolsOf(async (args) => made.push(args)));
  const oracle = await connection();
  const question = { ...call("ap_1:u", "approve_tool", { toolName: "pay", args: {} }), status: "isRunning" };
  const form = { ...call("el_1:u", "mcp_elicitation"), status: "isRunning" };
  const shown = { sessionId: SESSION, requestId: "R", componentName: "Map", args: {}, status: "done", eventId: "e" };
  const signIn = { sessionId: SESSION, requestId: "R", server: "mail", url: "https://mail.example/" };
  oracle.emit("action_call", question);
  oracle.emit("action_call", form);
  oracle.emit("render_component", { ...shown, eventName: "render_component", payload: shown });
  oracle.emit("mcp_auth_required", { ...signIn, eventName: "mcp_auth_required", payload: signIn });
  oracle.emit("router_update", { sessionId: SESSION, requestId: "R", step: "agent" });
  const invalid = { sessionId: SESSION, requestId: "R" };
  const payload = { ...invalid, sessionId: "" };
  oracle.emit("message_cache_invalidation", { ...invalid, eventName: "message_cache_invalidation", payload });
  await until(() => expect(seen).toHaveLength(6));
  expect([made, seen]).toEqual([
    [],
    [
      true,
      ["question", question],
      ["question", form],
      ["event", { eventName: "render_component", payload: shown }],
      ["sign-in", signIn],
      ["invalidated"],
    ],
  ]);
});

const expired = {
  message: "Unauthorized: Invalid UCAN invocation",
  data: { code: "invalid_invocation", retryable: true },
};

test("a refused token is renewed in two stages, and the connection signs in with the new tokens [SD-93]", async () => {
  refusals = [expired, expired];
  const { seen, stages } = open();
  await connection();
  await until(() => expect(seen).toEqual([true]));
  expect([stages, handshakes]).toEqual([[1, 2], ["1", "2", "3"].map((nth) => ({ invocation: `invocation ${nth}` }))]);
  // Once accepted, tokens that expire later are renewed again.
  refusals = [expired];
  sockets[0]?.disconnect();
  await connection(2);
  expect(stages).toEqual([1, 2, 1]);
});

test("after another refusal it stops with the reason; a wake tries once, without a new signature [SD-93]", async () => {
  refusals = [expired, expired, expired, expired];
  const { socket, seen, stages } = open();
  await until(() => expect(seen).toEqual(["Unauthorized: Invalid UCAN invocation"]));
  socket.wake();
  await until(() => expect(seen).toHaveLength(2));
  expect([stages, handshakes.length, sockets.length]).toEqual([[1, 2], 4, 0]);
  socket.wake();
  await connection();
  await until(() => expect(seen.at(-1)).toBe(true));
});

test("without new tokens, and if a new token cannot help, it stops at once [SD-93]", async () => {
  refusals = [expired];
  const unsigned = open(undefined, [false, false]);
  await until(() => expect(unsigned.seen).toEqual(["Unauthorized: Invalid UCAN invocation"]));
  expect([unsigned.stages, handshakes.length]).toEqual([[1, 2], 1]);
  refusals = [{ message: "Session not found", data: { code: "not_found", retryable: false } }];
  const gone = open();
  await until(() => expect(gone.seen).toEqual(["Session not found"]));
  expect([gone.stages, sockets.length]).toEqual([[], 0]);
});

test("an oracle that is busy is tried again later [SD-94]", async () => {
  refusals = [{ message: "Too many requests", data: { code: "rate_limited", retryable: true } }];
  const { seen, stages } = open();
  await connection();
  await until(() => expect(seen).toEqual([true]));
  expect([stages, handshakes.length]).toEqual([[], 2]);
});

test("a socket that the oracle ends reconnects, and missed changes are read again [SD-94, SD-95]", async () => {
  const { seen, socket } = open();
  const first = await connection();
  await until(() => expect([seen, heard.length]).toEqual([[true], 1]));
  first.disconnect();
  const second = await connection(2);
  await until(() => expect(seen).toEqual([true, false, true, ["invalidated"]]));
  expect(second.recovered).toBe(false);
  await until(() => expect(heard.filter(([name]) => name === "announce_tools")).toHaveLength(2));
  socket.close();
  await until(() => expect(second.connected).toBe(false));
  expect(seen).toHaveLength(4);
});

test.each([
  [0, [true]],
  [5001, [true, ["invalidated"]]],
])("a first connect after %d ms [SD-95]", async (waited, expected) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  // The address is found once that time has passed.
  reachable = Promise.resolve().then(() => void vi.setSystemTime(Date.now() + waited));
  const { seen } = open();
  await until(() => expect(heard).toHaveLength(1));
  expect(seen).toEqual(expected);
});

test("a result waits until its socket reconnects, and no other socket sends it [SD-89, SD-95]", async () => {
  const finish: (() => void)[] = [];
  const { seen } = open(toolsOf(async ({ nth }) => new Promise((resolve) => finish.push(() => resolve(nth)))));
  const first = await connection();
  // Recovery needs an event with an offset.
  server.emit("router_update", { sessionId: SESSION });
  first.emit("browser_tool_call", call("bt_1:u", "pageTitle", { nth: 1 }));
  await until(() => expect(finish).toHaveLength(1));
  first.conn.close();
  await until(() => expect(seen.at(-1)).toBe(false));
  finish[0]?.();
  const back = await connection(2);
  await until(() => expect(results()).toHaveLength(1));
  expect([back.recovered, results(), seen]).toEqual([
    true,
    [["tool_result", { toolCallId: "bt_1:u", sessionId: SESSION, result: 1 }]],
    [true, false, true],
  ]);
});

test("no other socket sends a result of a lost socket [SD-88, SD-89]", async () => {
  const finish: (() => void)[] = [];
  const { seen } = open(toolsOf(async ({ nth }) => new Promise((resolve) => finish.push(() => resolve(nth)))));
  const gone = await connection();
  for (const nth of [1, 2]) gone.emit("browser_tool_call", call(`bt_${nth}:u`, "pageTitle", { nth }));
  await until(() => expect(finish).toHaveLength(2));
  gone.disconnect();
  await until(() => expect(seen.at(-1)).toBe(false));
  finish[0]?.();
  const another = await connection(2);
  await until(() => expect(seen.at(-1)).toEqual(["invalidated"]));
  finish[1]?.();
  for (const nth of [1, 3]) another.emit("browser_tool_call", call(`bt_${nth}:u`, "pageTitle", { nth }));
  await until(() => expect(finish).toHaveLength(3));
  finish[2]?.();
  await until(() => expect(results()).not.toEqual([]));
  expect(results()).toEqual([["tool_result", { toolCallId: "bt_3:u", sessionId: SESSION, result: 3 }]]);
});

test("a wake detects a connection that was lost without notice [SD-96]", async () => {
  const { seen, socket } = open();
  const first = await connection();
  await until(() => expect([seen, heard.length]).toEqual([[true], 1]));
  // From now on it neither reads nor sends.
  first.offAny();
  socket.wake();
  await connection(2);
  await until(() => expect(seen.slice(0, 3)).toEqual([true, false, true]));
  socket.wake();
  await until(() => expect(heard.at(-1)?.[0]).toBe("ping"));
  expect(sockets).toHaveLength(2);
});

test("a closed socket makes no further attempt [SD-94]", async () => {
  await server.close();
  const { seen, socket } = open();
  socket.close();
  socket.wake();
  expect([seen, socket.id(), socket.answer("ap_1:u", {})]).toEqual([[], undefined, false]);
});

test("events without required members, or with unexpected names, change nothing [SD-92]", async () => {
  const { seen } = open();
  const socket = await connection();
  const args = JSON.parse('{"__proto__":{"toolName":"x"}}') as object;
  for (const name of ["tool_call", "render_component", "action_call", "browser_tool_call", "mcp_auth_required"]) {
    for (const payload of [
      {},
      { payload: null },
      { payload: { toolName: 7, toolCallId: {} } },
      { payload: args },
      [],
      "x",
      null,
    ])
      socket.emit(name, payload);
  }
  for (const name of ["constructor", "__proto__", "toString"]) socket.emit(name, { toolName: "x", toolCallId: "c" });
  const whole = { requestId: "q", eventId: "e", toolName: "t", args: {}, status: "done", output: { not: "text" } };
  socket.emit("tool_call", { payload: whole });
  const { output: _output, ...shown } = whole;
  await until(() => expect(seen).toEqual([true, ["event", { eventName: "tool_call", payload: shown }]]));
});
