/**
 * The conversation of one session: its state and its operations. There is one chat per oracle, user and session, shared
 * by all views: one stream, one socket, one queue.
 */
import type { ClientTools } from "./client-tools.ts";
import type { RunRecord, Attachment } from "./wire.ts";

/**
 * `submitted`: a message was sent and no part of its answer has arrived; `streaming`: the answer arrives; `ready`;
 * `error`: the oracle refused the message.
 */
export type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/** The run of the current turn, or else of the last turn. */
export interface ChatRunState {
  runId: string | null;
  requestId: string | null;
  /** The connection to the stream was lost, and the client is rejoining the run. */
  reconnecting: boolean;
  /** How often the server restarted and resumed this turn. */
  resumed: number;
  /**
   * The outcome of the last run. `disconnected`: the client could not rejoin it, so the transcript will contain the
   * reply.
   */
  ended: "done" | "aborted" | "interrupted" | "failed" | "disconnected" | null;
}

/** The `run` of a chat that has had no turn. */
export const IDLE_RUN_STATE: ChatRunState = {
  runId: null,
  requestId: null,
  reconnecting: false,
  resumed: 0,
  ended: null,
};

/** A message that the oracle has not accepted yet. It survives a reload until it is accepted or cancelled. */
export interface QueuedMessage {
  /** The client sends it as `clientMessageId`, so that the server accepts the message only once. */
  readonly id: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly Attachment[];
  /** The model that was selected when the message was sent. */
  readonly model?: string;
  /**
   * `waiting`: earlier turns must end first; `offline`: sent as soon as the oracle can be reached; `paused`: the
   * previous turn failed or was stopped, and the message waits for the next send or `resumeQueue`; `failed`: the oracle
   * refused it, and only `resumeQueue(id)` sends it again.
   */
  readonly state: "waiting" | "offline" | "paused" | "failed";
  /** The reason, if the state is `failed`. */
  readonly error?: Error;
  /**
   * The message is stored, so it survives a reload. If the browser has no room, the client tries again when the page
   * becomes active.
   */
  readonly isKept: boolean;
  readonly createdAt: string;
}

/**
 * A call that waits for the user's approval (`approve_tool`), or a form that an MCP server asks the user to fill in.
 */
export interface PendingQuestion {
  readonly id: string;
  readonly runId: string | null;
  readonly kind: "approval" | "elicitation";
  /** For an approval: the tool and the arguments of the call. */
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Why the last answer was refused or did not arrive. The question waits for another answer. */
  readonly error?: Error;
}

/** A sign-in at another service that a tool waits for. Open `url`. */
export interface PendingSignIn {
  readonly server: string;
  readonly url: string;
}

/** The state that a view shows. Its identity changes exactly when the view's listeners are called. */
export interface ChatSnapshot {
  readonly messages: readonly ChatMessage[];
  readonly status: ChatStatus;
  /** The error of the turn, of sending, or of loading the history. */
  readonly error: Error | undefined;
  readonly run: ChatRunState;
  readonly queue: readonly QueuedMessage[];
  readonly questions: readonly PendingQuestion[];
  readonly signIns: readonly PendingSignIn[];
  /** The socket is connected and authenticated. */
  readonly isRealTimeConnected: boolean;
  /** The client is reading the first page of the history. */
  readonly isLoading: boolean;
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
}

/** How often a view updates during a stream. All other changes update it at once. */
export type StreamingMode = "batched" | "immediate" | "throttled";

/** How a view shows a stream. */
export interface ViewOptions {
  /**
   * `immediate`: on each change; `batched`: at most once per animation frame; `throttled`: at most once per
   * `throttleMs`.
   */
  readonly mode?: StreamingMode;
  /** Milliseconds, 50 by default. */
  readonly throttleMs?: number;
}

/** A subscription to a chat, in the form that `useSyncExternalStore` expects. */
export interface ChatView {
  subscribe(listener: () => void): () => void;
  getSnapshot(): ChatSnapshot;
  /** Subscribes to one message. The listener is called only when that message changes. */
  subscribeToMessage(id: string, listener: () => void): () => void;
  getMessage(id: string): ChatMessage | undefined;
}

/** Options of a message. */
export interface SendOptions {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly Attachment[];
  readonly model?: string;
}

/** Callbacks of a component that uses a chat. The chat always calls the latest functions. */
export interface ChatCallbacks {
  /** 402: these usage claims must be paid first. */
  onPaymentRequired?(claimIds: string[]): void;
  /** The transcript or the title changed, so lists of sessions must be read again. */
  onInvalidated?(): void;
}

/** The conversation of one session. `retain()` starts it. */
export interface Chat {
  readonly sessionId: string;
  /** The browser tools and actions of this page. */
  readonly tools: ClientTools;
  view(options?: ViewOptions): ChatView;
  /**
   * Sends a message, or queues it if a turn is running. Resolves when the message's turn has ended, was aborted or
   * needs a payment, or when the message is removed from the queue. Rejects if the oracle refuses the message.
   */
  send(message: string, options?: SendOptions): Promise<void>;
  cancelQueued(id: string): boolean;
  /** Sends the paused messages. With an id, sends that message first, even if it failed. */
  resumeQueue(id?: string): void;
  /** Ends the turn on the server, even if another page started it. Never throws. */
  abort(): Promise<void>;
  answerQuestion(id: string, answer: { approved: boolean } | Record<string, unknown>): Promise<void>;
  refetch(): Promise<void>;
  loadEarlier(): Promise<void>;
  setCallbacks(callbacks: ChatCallbacks): void;
  /**
   * Starts the chat for its first holder and stops it after the last. Call the returned function once to release the
   * chat.
   */
  retain(): () => void;
}

/** The run that a page joins after a reload. */
export type ActiveRun = Pick<RunRecord, "runId" | "requestId" | "status">;

/** The progress of a call of a tool or an action. */
export type CallStatus = "isRunning" | "done" | "error";

/** The kind of a message: the text of the user or the oracle, or one event of a running turn. */
export type MessageKind = "text" | "reasoning" | "tool_call" | "action_call" | "component" | "error";

/** A call of a tool or an action, as the chat shows it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly status?: CallStatus;
  /** A text unchanged, any other value as JSON. */
  readonly output?: string;
  readonly error?: string;
  /** The sub-agent that made the call. */
  readonly agent?: string;
}

/**
 * One message. While a turn runs, the ids of its messages contain the turn's request id: the text is `<requestId>`, the
 * model's thinking `<requestId>-reasoning`, a call `<requestId>-ToolCall-<eventId>` or
 * `<requestId>-ActionCall-<toolCallId>`, and a failure `<requestId>-error`. After the turn, the stored records replace
 * them.
 */
export interface ChatMessage {
  readonly id: string;
  readonly type: "ai" | "human";
  readonly kind: MessageKind;
  /** The text. It is empty for a call or a component. */
  readonly content: string;
  /**
   * The run of the message's turn. It is undefined until the server has accepted the message, and if the server does
   * not send run ids.
   */
  readonly runId?: string;
  readonly createdAt?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly reasoning?: string;
  readonly isReasoning?: boolean;
  readonly isComplete?: boolean;
  readonly attachments?: readonly (Attachment & { readonly category?: string })[];
  /** The data to render a `component` (name and args) or an `error` (the frame's data). */
  readonly payload?: Readonly<Record<string, unknown>>;
}
