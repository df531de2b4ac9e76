import { expect, test } from "vitest";
import type { ChatMessage } from "../core/chat.ts";
import { mapMessage, type MappingOptions } from "./message-mapping.tsx";

const plain: MappingOptions = { sessionId: "s", components: undefined, actions: new Map() };
const withComponents = (...names: string[]): MappingOptions => ({ ...plain, components: new Set(names) });
const withActions = (actions: Record<string, boolean>, base = plain): MappingOptions => ({
  ...base,
  actions: new Map(Object.entries(actions)),
});

const weather = { id: "c1", name: "weather", args: { city: "Berlin" }, status: "done" as const, output: "{}" };
const stored = (message: Partial<ChatMessage> = {}): ChatMessage => ({
  id: "m1",
  type: "ai",
  kind: "text",
  content: "Sunny.",
  isComplete: true,
  ...message,
});

test("a message without uiComponents is its text [SD-127]", () => {
  const shown = mapMessage(stored({ toolCalls: [weather] }), plain);
  expect(shown).toMatchObject({ id: "m1", type: "ai", content: "Sunny.", isComplete: true });
  expect(shown?.toolCalls).toEqual([weather]);
});

test("with uiComponents the text is followed by its calls: own components, the one for all, actions [SD-127]", () => {
  const table = { id: "c2", name: "show_table", args: {}, status: "error" as const, error: "no" };
  const other = { id: "c3", name: "other", args: {} };
  const options = withActions({ show_table: false }, withComponents("ToolCall", "weather"));
  expect(mapMessage(stored({ toolCalls: [weather, other, table] }), options)?.content).toEqual([
    "Sunny.",
    {
      name: "weather",
      props: {
        id: "c1",
        args: { city: "Berlin" },
        status: "done",
        output: "{}",
        toolName: "weather",
        isToolCall: true,
      },
    },
    { name: "ToolCall", props: { id: "c3", args: {}, toolName: "other", isToolCall: true } },
    {
      name: "show_table",
      props: { id: "c2", args: {}, status: "error", error: "no", toolName: "show_table", isAgAction: true },
    },
  ]);
});

test("a stored call of an action with a render is in the content even without uiComponents [SD-129]", () => {
  const call = { ...weather, name: "show_table" };
  const message = stored({ content: "", toolCalls: [call, weather] });
  expect(mapMessage(message, withActions({ show_table: true }))?.content).toMatchObject([
    { name: "show_table", props: { isAgAction: true } },
  ]);
  expect(mapMessage(message, withActions({ show_table: false }))?.content).toBe("");
});

test("live calls, components and errors are shown with uiComponents and omitted without [SD-127]", () => {
  const call = stored({ id: "r1-ToolCall-e1", kind: "tool_call", content: "", toolCalls: [{ ...weather, id: "e1" }] });
  const component = stored({
    id: "r1-render_component-e2",
    kind: "component",
    payload: { name: "Chart", args: { points: [1] }, status: "done" },
  });
  const error = stored({ id: "r1-error", kind: "error", content: "Too long.", payload: { error: "Too long." } });
  for (const message of [call, component, error]) expect(mapMessage(message, plain)).toBeUndefined();
  const options = withComponents("ToolCall", "Error");
  expect(mapMessage(call, options)?.content).toMatchObject({
    name: "weather",
    props: {
      id: "e1",
      isToolCall: true,
      payload: { sessionId: "s", requestId: "r1", eventId: "e1", toolName: "weather" },
      event: { eventName: "tool_call" },
    },
  });
  expect(mapMessage(component, options)?.content).toEqual({
    name: "Chart",
    props: { id: "r1-render_component-e2", args: { points: [1] }, status: "done" },
  });
  expect(mapMessage(error, options)?.content).toMatchObject({
    name: "Error",
    props: { id: "error", args: {}, status: "done", output: "Too long.", event: { eventName: "error" } },
  });
});

test("a live call of an action is shown with and without uiComponents [SD-129]", () => {
  const call = { ...weather, id: "t1", name: "show_table" };
  const message = stored({ id: "r1-ActionCall-t1", kind: "action_call", content: "", toolCalls: [call] });
  expect(mapMessage(message, plain)?.content).toMatchObject({
    name: "show_table",
    props: { id: "t1", isAgAction: true, payload: { requestId: "r1", toolCallId: "t1" } },
  });
});

test("the model's thinking is its message's content and its reasoning [SD-127]", () => {
  const message = stored({ id: "r1-reasoning", kind: "reasoning", content: "", reasoning: "Hm.", isReasoning: true });
  expect(mapMessage(message, plain)).toMatchObject({ content: "Hm.", reasoning: "Hm.", isReasoning: true });
});

test("the first attachment is also a separate member [SD-127]", () => {
  const attachments = [
    { filename: "a", mimetype: "text/plain", mxcUri: "mxc://x/1" },
    { filename: "b", mimetype: "text/plain", mxcUri: "mxc://x/2" },
  ];
  expect(mapMessage(stored({ type: "human", attachments }), plain)).toMatchObject({
    attachment: attachments[0],
    attachments,
  });
});

test("a message keeps its identity until it, or the rendering of its calls, changes [SD-123]", () => {
  const message = stored();
  const calling = stored({ id: "m2", toolCalls: [weather] });
  const drawn = [message, calling].map((each) => mapMessage(each, withComponents("ToolCall")));
  const more = withActions({ show_table: true }, withComponents("ToolCall", "Chart"));
  expect([message, calling].map((each) => mapMessage(each, more))).toEqual(drawn);
  expect(mapMessage(message, more)).toBe(drawn[0]);
  expect(mapMessage(calling, more)).toBe(drawn[1]);
  expect(mapMessage(calling, withComponents("ToolCall", "weather"))).not.toBe(drawn[1]);
  expect(mapMessage(calling, withComponents("ToolCall"))).toBe(drawn[1]);
  expect(mapMessage({ ...message }, more)).not.toBe(drawn[0]);
});

test("a message has its time and its run, and a call has its sub-agent [SD-288]", () => {
  const facts = { createdAt: "2026-11-24T02:00:00.000Z", runId: "r1" };
  const shown = mapMessage(
    stored({ ...facts, toolCalls: [{ ...weather, agent: "scout" }] }),
    withComponents("weather"),
  );
  expect(shown).toMatchObject({ ...facts, toolCalls: [{ agent: "scout" }] });
  expect(shown?.content).toMatchObject(["Sunny.", { name: "weather", props: { agent: "scout" } }]);
  const live = {
    id: "q-ToolCall-c1",
    kind: "tool_call",
    content: "",
    toolCalls: [{ ...weather, agent: "scout" }],
  } as const;
  expect(mapMessage(stored({ ...live, ...facts }), withComponents())).toMatchObject({
    ...facts,
    content: { name: "weather", props: { agent: "scout", payload: { agent: "scout" } } },
  });
  expect(mapMessage(stored(), plain)).toEqual({ id: "m1", type: "ai", content: "Sunny.", isComplete: true });
});
