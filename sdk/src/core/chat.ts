/**
 * One session's conversation: what is shown of it, and what can be done with it. There is one chat for each oracle, user and
 * session, however many views look at it: one stream, one socket, one queue.
 */
import type { ClientTools } from "./client-tools.ts";
import type { RunRecord, Attachment } from "./wire.ts";

/**
 * `submitted`: a message is sent, and nothing of its answer has arrived; `streaming`: the answer arrives; `ready`; `error`: the
 * oracle refused the message.
 */
export type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/** The run behind the current or the last turn. */
export interface ChatRunState {
  runId: string | null;
  requestId: string | null;
  /** The stream was lost and the client joins the run again. */
  reconnecting: boolean;
  /** How often the server restarted and resumed this turn. */
  resumed: number;
  /** How the last run ended; `disconnected`: the client could not join it again, the reply lands in the transcript. */
  ended: "done" | "aborted" | "interrupted" | "failed" | "disconnected" | null;
}

/** The `run` of a chat without a turn so far. */
export const IDLE_RUN_STATE: ChatRunState = {
  runId: null,
  requestId: null,
  reconnecting: false,
  resumed: 0,
  ended: null,
};

/** A message that the oracle has not taken yet. It is kept over a reload until it was taken or cancelled. */
export interface QueuedMessage {
  /** Also the `clientMessageId` under which it is sent: the server takes it once. */
  readonly id: string;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly Attachment[];
  /** The model chosen when it was sent. */
  readonly model?: string;
  /**
   * `waiting` for the turns before it; `offline`: sent as soon as the oracle can be reached; `paused` because the turn before it
   * failed or was stopped, until the next send or `resumeQueue`; `failed`: the oracle refused it, and only `resumeQueue(id)` sends it again.
   */
  readonly state: "waiting" | "offline" | "paused" | "failed";
  /** Of `failed`: why. */
  readonly error?: Error;
  /** It is stored, so that a reload keeps it. The browser may have no room; then it is tried again when the page comes back. */
  readonly isKept: boolean;
  readonly createdAt: string;
}

/** A call that waits for its user (`approve_tool`), or a form that an MCP server asks them to fill in. */
export interface PendingQuestion {
  readonly id: string;
  readonly runId: string | null;
  readonly kind: "approval" | "elicitation";
  /** Of an approval: the tool and what it would be called with. */
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Why the last answer to it was refused or did not arrive; it waits for another one. */
  readonly error?: Error;
}

/** A sign-in at another service that a tool waits for: open `url`. */
export interface PendingSignIn {
  readonly server: string;
  readonly url: string;
}

/** Everything that a view shows. Its identity changes exactly when the view's listeners are called. */
export interface ChatSnapshot {
  readonly messages: readonly ChatMessage[];
  readonly status: ChatStatus;
  /** Of the turn, of sending or of loading the history. */
  readonly error: Error | undefined;
  readonly run: ChatRunState;
  readonly queue: readonly QueuedMessage[];
  readonly questions: readonly PendingQuestion[];
  readonly signIns: readonly PendingSignIn[];
  /** The socket is connected and authenticated. */
  readonly isRealTimeConnected: boolean;
  /** The first page of the history is being read. */
  readonly isLoading: boolean;
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
}

/** How often a view shows a stream; a change of anything else is shown at once. */
export type StreamingMode = "batched" | "immediate" | "throttled";

/** How a view shows a stream. */
export interface ViewOptions {
  /** `immediate`: on each change; `batched`: at most once an animation frame; `throttled`: at most once in `throttleMs`. */
  readonly mode?: StreamingMode;
  /** Milliseconds, 50 by default. */
  readonly throttleMs?: number;
}

/** One look at a chat, as `useSyncExternalStore` takes it. */
export interface ChatView {
  subscribe(listener: () => void): () => void;
  getSnapshot(): ChatSnapshot;
  /** One message: its listener is called when that message changed only. */
  subscribeToMessage(id: string, listener: () => void): () => void;
  getMessage(id: string): ChatMessage | undefined;
}

/** What goes with a message. */
export interface SendOptions {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly attachments?: readonly Attachment[];
  readonly model?: string;
}

/** What the owner of a chat listens to; the latest functions are always called. */
export interface ChatCallbacks {
  /** 402: the claims that have to be paid first. */
  onPaymentRequired?(claimIds: string[]): void;
  /** The transcript or the title changed: lists of sessions are read again. */
  onInvalidated?(): void;
}

/** One session's conversation; `retain()` starts it. */
export interface Chat {
  readonly sessionId: string;
  /** The browser tools and actions of this page. */
  readonly tools: ClientTools;
  view(options?: ViewOptions): ChatView;
  /**
   * Sends a message, or queues it while a turn runs. Resolves when the message's turn has ended, was aborted or needs a
   * payment, and when the message is taken from the queue; rejects when the oracle refuses it.
   */
  send(message: string, options?: SendOptions): Promise<void>;
  cancelQueued(id: string): boolean;
  /** Sends what is paused; with an id that message first, also when it failed. */
  resumeQueue(id?: string): void;
  /** Ends the turn on the server, also one that another page began. Never throws. */
  abort(): Promise<void>;
  answerQuestion(id: string, answer: { approved: boolean } | Record<string, unknown>): Promise<void>;
  refetch(): Promise<void>;
  loadEarlier(): Promise<void>;
  setCallbacks(callbacks: ChatCallbacks): void;
  /** Starts it for the first holder, stops it behind the last one: call the returned function once. */
  retain(): () => void;
}

/** The run that a page joins after a reload. */
export type ActiveRun = Pick<RunRecord, "runId" | "requestId" | "status">;

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
