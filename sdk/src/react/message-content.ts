/** A message as `useChat` returns it: plain data, which `renderMessageContent` turns into elements. */
import type { FC, ReactNode } from "react";
import type { Attachment as WireAttachment } from "../core/wire.ts";

/** A call, a component or an error within a message. */
export interface IComponentMetadata {
  /** The key of the component that draws it. */
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

/** What a message shows: its text, and the calls, components and errors after it. */
export type MessageContent = string | IComponentMetadata | Array<string | IComponentMetadata>;

/** A file in Matrix that goes along with a message: `mxcUri` or `eventId` says which. */
export interface Attachment {
  mxcUri?: string;
  /** Begins with `$`. */
  eventId?: string;
  filename: string;
  mimetype: string;
  /** Bytes. */
  size?: number;
  category?: string;
  /** How to decrypt the file; not kept after the turn. */
  file?: WireAttachment["file"];
}

/** One message of a chat. Its identity changes only when it does. */
export interface IMessage {
  id: string;
  content: MessageContent;
  type: "ai" | "human";
  /** ISO 8601; absent of what a turn has not stored yet, as far as the oracle does not say it. */
  createdAt?: string;
  /** The run that it belongs to; absent before the oracle has taken the message. */
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
  /** The model's thinking, as far as it says it. */
  reasoning?: string;
  isComplete?: boolean;
  isReasoning?: boolean;
  /** The first of `attachments`. */
  attachment?: Attachment;
  attachments?: Attachment[];
}

/** Messages by their ids. */
export type MessagesMap = Record<string, IMessage>;

/** What every event of a chat has. */
export type WithRequiredEventProps<Payload> = Payload & {
  readonly sessionId: string;
  readonly requestId: string;
  /** The call or the component; the events of one call share it. */
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

/** A failure of a turn, as its stream says it. */
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
/** A component is shown. */
export type RenderComponentEvent = { eventName: "render_component"; payload: RenderComponentEventPayload };
/** A browser tool of the application is called. */
export type BrowserToolCallEvent = { eventName: "browser_tool_call"; payload: BrowserToolCallEventPayload };
/** `eventName` says which it is, and is the name on the wire. */
export type AnyEvent = ToolCallEvent | RenderComponentEvent | BrowserToolCallEvent;

/** The event that a live call, component or error was drawn from. */
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

/** The props of a component that is drawn for an event: `UIComponentProps<ToolCallEvent>` of a tool call. */
export type UIComponentProps<Shown extends AnyEvent> = CallProps &
  (Shown extends { payload: infer Payload } ? Payload : never);

/**
 * Components by the name of the tool, the action or the component that they draw. Three keys are reserved: `ToolCall` draws the
 * calls that have no component of their own, `Error` the failures of a turn, `AgActionToolCall` (else `ToolCall`) the actions that
 * have no `render`.
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
