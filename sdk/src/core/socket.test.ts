/** Calls, questions and results over the session's socket, on a real Socket.IO server. */
import { expect, test } from "vitest";
import { createClientTools, type ClientTools } from "./client-tools.ts";
import { sessionSockets } from "../../../test/support/sdk/session-socket.ts";

const sessions = sessionSockets();
const { SESSION, open, connection, until } = sessions;

const results = () => sessions.heard.filter(([name]) => name.endsWith("_result"));

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
  await until(() => expect(sessions.heard).toHaveLength(1));
  const owner = {};
  for (const name of ["one", "two"])
    tools.setBrowserTools(owner, [{ toolName: name, description: "", schema: {}, fn: async () => undefined }]);
  await until(() => expect(sessions.heard).toHaveLength(2));
  tools.remove(owner);
  tools.setBrowserTools(owner, [{ toolName: "two", description: "", schema: {}, fn: async () => undefined }]);
  expect(socket.answer("ap_1:u", { approved: true })).toBe(true);
  await until(() => expect(results()).toHaveLength(1));
  expect(sessions.heard).toEqual([
    ["announce_tools", { tools: ["pageTitle"], actions: ["open_map"] }],
    ["announce_tools", { tools: ["pageTitle", "two"], actions: ["open_map"] }],
    ["action_call_result", { toolCallId: "ap_1:u", sessionId: SESSION, result: { approved: true } }],
  ]);
  expect([seen, socket.id()]).toEqual([[true], sessions.sockets[0]?.id]);
});

test("a network without websockets is reached by polling [SD-94]", async () => {
  sessions.server.engine.opts.transports = ["polling"];
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

test("a result waits until its socket reconnects, and no other socket sends it [SD-89, SD-95]", async () => {
  const finish: (() => void)[] = [];
  const { seen } = open(toolsOf(async ({ nth }) => new Promise((resolve) => finish.push(() => resolve(nth)))));
  const first = await connection();
  // Recovery needs an event with an offset.
  sessions.server.emit("router_update", { sessionId: SESSION });
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
