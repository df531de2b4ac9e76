/**
 * A conversation as clients show it. Messages are plain data; an unchanged message keeps its identity, so that
 * `===` tells whether it has to be drawn again.
 */
import type { Attachment } from "./wire.ts";

/** How far a call of a tool or an action is. */
export type CallStatus = "isRunning" | "done" | "error";

/** What a message is: the text of one side, or one event of a turn that still runs. */
export type MessageKind = "text" | "reasoning" | "tool_call" | "action_call" | "component" | "error";

/** A call of a tool or an action, as it is drawn. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly status?: CallStatus;
  /** A text as it is, any other value as JSON. */
  readonly output?: string;
  readonly error?: string;
  /** The sub-agent that made the call. */
  readonly agent?: string;
}

/**
 * One message. While a turn runs its messages have ids of the turn's request: the text `<requestId>`, the model's thinking
 * `<requestId>-reasoning`, a call `<requestId>-ToolCall-<eventId>` or `<requestId>-ActionCall-<toolCallId>`, a failure
 * `<requestId>-error`. Once the turn has ended, the stored records take their place.
 */
export interface ChatMessage {
  readonly id: string;
  readonly type: "ai" | "human";
  readonly kind: MessageKind;
  /** The text; empty for a call or a component. */
  readonly content: string;
  /** The run of its turn; unknown before the server has taken the message, and of servers that do not say it. */
  readonly runId?: string;
  readonly createdAt?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: string;
  readonly isReasoning?: boolean;
  readonly isComplete?: boolean;
  readonly attachments?: readonly (Attachment & { readonly category?: string })[];
  /** Of `component` (name and args) and `error` (the frame's data): what it is drawn from. */
  readonly payload?: Readonly<Record<string, unknown>>;
}
