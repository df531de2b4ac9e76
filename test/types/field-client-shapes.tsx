/** As field-client-1-4-0.tsx: the shapes of messages, events and state. Compiled, never run. */
import type { ReactNode } from "react";
import * as z from "zod";
import {
  renderMessageContent,
  type AnyEvent,
  type BrowserToolCallEvent,
  type IActionToolParams,
  type IActionTools,
  type IChatState,
  type IComponentMetadata,
  type IMessage,
  type MessageContent,
  type MessagesMap,
  type RenderComponentEvent,
  type ToolCallEvent,
} from "@twinedge/sdk";

const metadata: IComponentMetadata = {
  name: "WeatherWidget",
  props: { id: "1", args: { city: "Berlin" }, status: "done", output: "{}", isToolCall: true, toolName: "weather" },
};

const contents: MessageContent[] = ["text", metadata, ["text", metadata]];
const drawings: ReactNode[] = contents.map((content) => renderMessageContent(content));

function nameOf(event: AnyEvent): string {
  switch (event.eventName) {
    case "tool_call":
      return `${event.payload.toolName}${event.payload.status}${event.payload.output}${event.payload.requestId}`;
    case "render_component":
      return `${event.payload.componentName}${Object.keys(event.payload.args ?? {}).join()}${event.payload.sessionId}`;
    case "browser_tool_call":
      return `${event.payload.toolCallId}${event.payload.toolName}${Object.keys(event.payload.args).join()}`;
  }
}

const called: ToolCallEvent = { eventName: "tool_call", payload: { sessionId: "s", requestId: "r", toolName: "t" } };

const shown: RenderComponentEvent = {
  eventName: "render_component",
  payload: { sessionId: "s", requestId: "r", componentName: "WeatherWidget", args: { city: "Berlin" } },
};

const asked: BrowserToolCallEvent = {
  eventName: "browser_tool_call",
  payload: { sessionId: "s", requestId: "r", toolCallId: "1", toolName: "t", args: {} },
};

const eventNames = [called, shown, asked].map(nameOf);

const actionTool: IActionToolParams = {
  toolName: "show_table",
  description: "Shows rows",
  schema: z.object({}),
  handler: async (args: unknown) => args,
  render: ({ status, args, result, isLoading }) => <b>{JSON.stringify([status, args, result, isLoading])}</b>,
};

const actionTools: IActionTools = { show_table: actionTool };

const message: IMessage = { id: "1", type: "human", content: "hello" };
const byId: MessagesMap = { [message.id]: message };
declare const state: IChatState;
state.pushMessage(message);
state.replaceMessage(0, message);
state.updateLastMessage((last) => ({ ...last, content: "more" }));
state.updateMessageById("1", (last) => last);
const stopListening: () => void = state.subscribe(() => {});
const copy: IMessage = state.snapshot(message);

export const shapes = [drawings, eventNames, actionTools, byId, stopListening, copy, state.run];
