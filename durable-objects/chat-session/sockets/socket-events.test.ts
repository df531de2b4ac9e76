/** The catalogue of events: its names, its forms and its page. */
import { incoming, outgoing } from "./session-sockets.ts";
import { describe, expect, test } from "vitest";
import { clientEventNames, serverEventNames } from "../../../protocol/socket-events.ts";

test("exactly the two lists, with new events at the end [OR-118]", () => {
  expect(serverEventNames).toEqual([
    "connected",
    "pong",
    "status",
    "subscribed",
    "available-events",
    "tool_call",
    "action_call",
    "render_component",
    "browser_tool_call",
    "router_update",
    "mcp_auth_required",
    "message_cache_invalidation",
  ]);
  expect(clientEventNames).toEqual([
    "ping",
    "status",
    "subscribe",
    "list-events",
    "tool_result",
    "action_call_result",
    "announce_tools",
  ]);
});

describe("the form of outgoing events [OR-119]", () => {
  const turn = { sessionId: "S", requestId: "req-42" };

  test("hybrid: flat members, repeated under payload next to eventName", () => {
    const call = {
      ...turn,
      toolName: "t",
      args: { toolName: "t" },
      status: "done" as const,
      eventId: "tc_2",
      output: "1",
    };
    expect(outgoing("tool_call", call)).toEqual({ ...call, eventName: "tool_call", payload: call });
    const shown = { ...turn, componentName: "c", args: {}, status: "done" as const, eventId: "e" };
    expect(outgoing("render_component", shown)).toEqual({ ...shown, eventName: "render_component", payload: shown });
  });

  test("an invalidation's nested session is empty, so that no client draws it [OR-120]", () => {
    expect(outgoing("message_cache_invalidation", turn)).toEqual({
      ...turn,
      eventName: "message_cache_invalidation",
      payload: { sessionId: "", requestId: "req-42" },
    });
  });

  test("flat: nothing is added", () => {
    const step = { ...turn, step: "planner" };
    expect(outgoing("router_update", step)).toEqual(step);
    const call = { ...turn, toolCallId: "bt_9", toolName: "pageTitle", args: {} };
    expect(outgoing("browser_tool_call", call)).toEqual(call);
    expect(outgoing("action_call", { ...call, status: "isRunning" })).toEqual({ ...call, status: "isRunning" });
  });
});

describe("incoming events [OR-122]", () => {
  test.each<[string, unknown]>([
    ["ping", undefined],
    ["status", { any: "thing" }],
    ["subscribe", 5],
    ["list-events", null],
    ["tool_result", { toolCallId: "bt_1" }],
    ["tool_result", { toolCallId: "bt_1", result: [1], sessionId: "S", error: null, more: 1 }],
    ["action_call_result", { sessionId: "S", toolCallId: "ag_1", result: { success: true } }],
  ])("%s %j is accepted", (name, payload) => {
    expect(incoming(name, payload)).toMatchObject({ ok: true, value: { name } });
  });

  test("each kind can announce 64 names of 64 characters, and no more [OR-189]", () => {
    const names = (count: number, length: number) => Array.from({ length: count }, () => "x".repeat(length));
    const announce = (tools: readonly string[], actions: readonly string[]) =>
      incoming("announce_tools", { tools, actions });
    expect(announce(names(64, 64), names(64, 64))).toMatchObject({ ok: true });
    expect(incoming("announce_tools", {})).toMatchObject({ ok: true, value: { payload: { tools: [], actions: [] } } });
    for (const beyond of [names(65, 64), names(1, 65), [""]]) {
      expect([announce(beyond, []), announce([], beyond)]).toMatchObject([{ ok: false }, { ok: false }]);
    }
  });

  test.each<[string, unknown, string]>([
    ["message", {}, "unknown event"],
    ["connected", {}, "unknown event"],
    ["__proto__", {}, "unknown event"],
    ["tool_result", undefined, "malformed payload"],
    ["tool_result", {}, "malformed payload"],
    ["tool_result", { toolCallId: 5, result: 1 }, "malformed payload"],
    ["tool_result", { toolCallId: "bt_1", error: { code: 1 } }, "malformed payload"],
    ["action_call_result", { toolCallId: "ag_1", sessionId: 1 }, "malformed payload"],
    ["action_call_result", [], "malformed payload"],
  ])("%s %j is refused", (name, payload, reason) => {
    expect(incoming(name, payload)).toEqual({ ok: false, error: reason });
  });
});
