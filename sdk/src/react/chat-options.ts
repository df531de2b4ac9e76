/** The options of a chat. */
import type * as z from "zod";
import type { ChatRunState, ChatStatus, StreamingMode } from "../core/chat.ts";
import type { ActionCallEventPayload, ErrorEventPayload, IMessage, UIComponents } from "./message-content.ts";

/** A function of the page that the oracle can call, and whose result it waits for. */
export interface IBrowserToolParams {
  /** The name under which the oracle calls it. */
  toolName: string;
  /** Tells the model when to use it. */
  description: string;
  /** A zod 3 or zod 4 schema, which parses the arguments. */
  schema: z.ZodType;
  /** Must return a JSON value for the model within 15 seconds. */
  fn(args: unknown): Promise<unknown>;
}

/** Browser tools. The oracle calls each by its `toolName`; the keys have no meaning. */
export type IBrowserTools = Record<string, IBrowserToolParams>;

/** The addresses of the oracle, instead of those of its entity on the chain. */
export interface OracleOverrides {
  /** The address of its API, such as `https://oracle.example.com`. */
  baseUrl?: string;
  /** The address of its sockets. Default: `baseUrl`. */
  wsUrl?: string;
}

/** The options of `useChat`. */
export interface IChatOptions {
  oracleDid: string;
  /** `""` if there is no session yet: the hook reads nothing, and `sendMessage` rejects. */
  sessionId: string;
  /** Called when these usage claims must be paid before the oracle answers. */
  onPaymentRequiredError: (claimIds: string[]) => void;
  browserTools?: IBrowserTools;
  uiComponents?: UIComponents;
  overrides?: OracleOverrides;
  /**
   * How often a component renders while a reply streams. `immediate` (default): on each change; `batched`: at most once
   * per animation frame; `throttled`: at once for the first change, then once per `streamingThrottleMs`.
   */
  streamingMode?: StreamingMode;
  /** Milliseconds, 50 by default. */
  streamingThrottleMs?: number;
  /** Turns per page of the history, 20 by default. */
  historyPageSize?: number;
  /**
   * The id of a model in the list of `useModels`. The model that is selected when the message is sent answers it.
   * Default: the oracle's default model.
   */
  model?: string;
}

/** The state of a chat in the format of older applications. */
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

/** The options of a send in the format of older applications. */
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
