/** What a chat is opened with. */
import type * as z from "zod";
import type { ChatRunState, ChatStatus, StreamingMode } from "../core/chat.ts";
import type { ActionCallEventPayload, ErrorEventPayload, IMessage, UIComponents } from "./message-content.ts";

/** A function of the page that the oracle may call, and wait for. */
export interface IBrowserToolParams {
  /** What the oracle calls it by. */
  toolName: string;
  /** Tells the model when to use it. */
  description: string;
  /** A schema of zod 3 or 4; the arguments are parsed by it. */
  schema: z.ZodType;
  /** Returns a JSON value for the model, within 15 seconds. */
  fn(args: unknown): Promise<unknown>;
}

/** Browser tools; each is called by its `toolName`, whatever its key. */
export type IBrowserTools = Record<string, IBrowserToolParams>;

/** Where the oracle is, in place of what its entity on the chain says. */
export interface OracleOverrides {
  /** Its API, as `https://oracle.example.com`. */
  baseUrl?: string;
  /** Its sockets; `baseUrl` when absent. */
  wsUrl?: string;
}

/** What `useChat` is called with. */
export interface IChatOptions {
  oracleDid: string;
  /** `""` while there is none: nothing is read, and `sendMessage` rejects. */
  sessionId: string;
  /** These claims have to be paid before the oracle answers. */
  onPaymentRequiredError: (claimIds: string[]) => void;
  browserTools?: IBrowserTools;
  uiComponents?: UIComponents;
  overrides?: OracleOverrides;
  /**
   * How often a component is drawn while a reply streams. `immediate`, the default: on each change; `batched`: once an animation
   * frame; `throttled`: at once for the first change, then once in `streamingThrottleMs`.
   */
  streamingMode?: StreamingMode;
  /** Milliseconds, 50 by default. */
  streamingThrottleMs?: number;
  /** Turns on a page of the history, 20 by default. */
  historyPageSize?: number;
  /** The id of a model that `useModels` lists; the one at the time of sending answers. Absent: the oracle's default. */
  model?: string;
}

/** A chat's state as older applications describe it. */
export interface IChatState {
  status: ChatStatus;
  error: Error | undefined;
  run: ChatRunState;
  messages: IMessage[];
  pushMessage: (message: IMessage) => void;
  replaceMessage: (index: number, message: IMessage) => void;
  updateLastMessage: (updater: (message: IMessage) => IMessage) => void;
  updateMessageById: (id: string, updater: (message: IMessage) => IMessage) => void;
  snapshot: <Thing extends IMessage>(thing: Thing) => Thing;
  subscribe: (callback: () => void) => () => void;
}

interface InRequest {
  sessionId: string;
  requestId: string;
}

/** What older applications describe a sender by. */
export interface ISendMessageOptions {
  oracleDid: string;
  sessionId: string;
  overrides?: { baseUrl?: string };
  onPaymentRequiredError: (claimIds: string[]) => void;
  browserTools?: IBrowserTools;
  chatRef?: { current: unknown };
  refetchQueries?: () => Promise<void>;
  model?: string;
  onToolCall?: (data: {
    toolCallData: InRequest & {
      toolName: string;
      args: Record<string, unknown>;
      status: "isRunning" | "done" | "error";
      output?: string;
      error?: string;
      eventId?: string;
    };
    requestId: string;
  }) => Promise<void>;
  onActionCall?: (data: { actionCallData: ActionCallEventPayload; requestId: string }) => Promise<void>;
  onError?: (data: { error: ErrorEventPayload; requestId: string }) => Promise<void>;
  onReasoning?: (data: {
    reasoningData: InRequest & {
      reasoning: string;
      reasoningDetails?: Array<{ type: string; text: string; format: string; index: number }>;
      isComplete?: boolean;
      timestamp?: string;
      eventId?: string;
    };
    requestId: string;
  }) => Promise<void>;
}
