/** A message of `useChat`: plain data, which `renderMessageContent` converts to elements. */
import type { FC, ReactNode } from "react";
import type { Attachment as WireAttachment } from "../core/wire.ts";

/** A call, a component or an error in a message. */
export interface IComponentMetadata {
  /** The key of the component that renders it. */
  name: string;
  props: {
    id: string;
    args: unknown;
    status?: "isRunning" | "done" | "error";
    output?: string;
    event?: ShownEvent;
    payload?:
      | ToolCallEventPayload
      | RenderComponentEventPayload
      | BrowserToolCallEventPayload
      | ErrorEventPayload
      | ActionCallEventPayload;
    isToolCall?: boolean;
    isAgAction?: boolean;
    toolName?: string;
    error?: string;
    /** The sub-agent that made the call. */
    agent?: string;
  };
}

/** The content of a message: its text, followed by calls, components and errors. */
export type MessageContent = string | IComponentMetadata | Array<string | IComponentMetadata>;

/** A file in Matrix that is sent with a message. Set either `mxcUri` or `eventId`. */
export interface Attachment {
  mxcUri?: string;
  /** Starts with `$`. */
  eventId?: string;
  filename: string;
  mimetype: string;
  /** Bytes. */
  size?: number;
  category?: string;
  /** The data to decrypt the file. The oracle does not store it after the turn. */
  file?: WireAttachment["file"];
}

/** One message of a chat. Its identity changes only when its content changes. */
export interface IMessage {
  id: string;
  content: MessageContent;
  type: "ai" | "human";
  /** ISO 8601; undefined until the turn is stored, unless the oracle sends the time earlier. */
  createdAt?: string;
  /** The run of the message; undefined until the oracle has accepted the message. */
  runId?: string;
  chunks?: number;
  toolCalls?: {
    name: string;
    id: string;
    args: unknown;
    status?: "isRunning" | "done" | "error";
    output?: string;
    error?: string;
    /** The sub-agent that made the call. */
    agent?: string;
  }[];
  /** The model's thinking, if the oracle sends it. */
  reasoning?: string;
  isComplete?: boolean;
  isReasoning?: boolean;
  /** The first of `attachments`. */
  attachment?: Attachment;
  attachments?: Attachment[];
}

/** Messages by id. */
export type MessagesMap = Record<string, IMessage>;

/** The common members of all events of a chat. */
export type WithRequiredEventProps<Payload> = Payload & {
  readonly sessionId: string;
  readonly requestId: string;
  /** The id of the call or the component. All events of one call have the same id. */
  readonly eventId?: string;
};

export type ToolCallEventPayload = WithRequiredEventProps<{
  toolName: string;
  args?: unknown;
  status?: "isRunning" | "done";
  eventId?: string;
  output?: string;
}>;

export type RenderComponentEventPayload = WithRequiredEventProps<{
  componentName: string;
  args?: Record<string, unknown>;
  status?: "isRunning" | "done";
  eventId?: string;
}>;

export type BrowserToolCallEventPayload = WithRequiredEventProps<{
  toolCallId: string;
  toolName: string;
  args: Record<string, unknown>;
}>;

/** A failure of a turn, from its stream. */
export interface ErrorEventPayload {
  error: string;
  timestamp: string;
  kind?: string;
  retryable?: boolean;
  detail?: string;
  runId?: string;
}

/** A call of an AG-UI action. */
export interface ActionCallEventPayload {
  sessionId: string;
  requestId: string;
  toolName: string;
  args?: Record<string, unknown>;
  status?: "isRunning" | "done" | "error";
  output?: string;
  toolCallId?: string;
  error?: string;
}

/** A tool of the oracle is called or has returned. */
export type ToolCallEvent = { eventName: "tool_call"; payload: ToolCallEventPayload };
/** The oracle shows a component. */
export type RenderComponentEvent = { eventName: "render_component"; payload: RenderComponentEventPayload };
/** The oracle calls a browser tool of the application. */
export type BrowserToolCallEvent = { eventName: "browser_tool_call"; payload: BrowserToolCallEventPayload };
/** `eventName` is the kind of the event, and its name on the wire. */
export type AnyEvent = ToolCallEvent | RenderComponentEvent | BrowserToolCallEvent;

/** The event that a live call, component or error comes from. */
export type ShownEvent = {
  eventName: "tool_call" | "render_component" | "browser_tool_call" | "action_call" | "error";
  payload: WithRequiredEventProps<Record<string, unknown>> | ErrorEventPayload;
};

interface CallProps {
  id: string;
  isLoading?: boolean;
  output?: string;
  status?: "isRunning" | "done" | "error";
}

/** The props of a component that renders an event, such as `UIComponentProps<ToolCallEvent>` for a tool call. */
export type UIComponentProps<Shown extends AnyEvent> = CallProps &
  (Shown extends { payload: infer Payload } ? Payload : never);

/**
 * Components by the name of the tool, action or component that they render. Three keys are reserved: `ToolCall` renders
 * the calls without a specific component, `Error` renders the failures of a turn, and `AgActionToolCall` (or else
 * `ToolCall`) renders the actions without a `render`.
 */
export type UIComponents = {
  ToolCall: FC<UIComponentProps<ToolCallEvent> & { key: string }>;
  Error: FC<{
    id: string;
    args: Record<string, unknown>;
    status?: "isRunning" | "done";
    output?: string;
    isLoading?: boolean;
    event?: ShownEvent;
    payload?: unknown;
    key: string;
  }>;
  [name: string]: (props: never) => ReactNode | Promise<ReactNode>;
};
