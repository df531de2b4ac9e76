/** A message as `useChat` returns it: plain data, which `renderMessageContent` turns into elements. */
import type { Attachment as WireAttachment } from "../core/wire.ts";
import type {
  ActionCallEventPayload,
  BrowserToolCallEventPayload,
  ErrorEventPayload,
  RenderComponentEventPayload,
  ShownEvent,
  ToolCallEventPayload,
} from "./event-payloads.ts";

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

/** What a message shows: its text, and the calls, components and errors behind it. */
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
