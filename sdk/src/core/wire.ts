/**
 * What travels between an oracle and its clients, as types: frames, socket events, records, bodies. Written by
 * `npm run wire-types` from the schemas of protocol/; do not edit it.
 */

/** A value as JSON has it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** An object of JSON whose members belong to someone else. */
export interface JsonObject {
  readonly [member: string]: JsonValue | undefined;
}

/** The frames of a run's stream, by their names, with their data. */
export interface Frames {
  /** The run starts, or continues after a restart of the server (`resumed`). */
  readonly run: {
    readonly runId: string;
    readonly sessionId: string;
    readonly requestId: string;
    readonly resumed?: true;
    readonly attempt?: number;
    /** UTF-16 units of the answer that a restart kept. Discard text beyond that length. */
    readonly partialLength?: number;
  };
  /** The model's thinking. `isComplete` marks its end. */
  readonly reasoning: {
    readonly sessionId: string;
    readonly requestId: string;
    /** A piece of the model's thinking. */
    readonly reasoning: string;
    readonly reasoningDetails?: readonly {
      readonly type: "thinking";
      readonly text: string;
    }[];
    readonly isComplete: boolean;
    readonly timestamp: string;
  };
  /** A tool is called or has returned. The two frames of one call have the same `eventId`. */
  readonly tool_call: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly toolName: string;
    /** The arguments, with a copy of `toolName`. */
    readonly args: JsonObject;
    readonly status: "isRunning" | "done" | "error";
    /** A text unchanged, any other value as JSON. */
    readonly output?: string;
    readonly error?: string;
    /** The sub-agent that makes the call; absent for the main agent. */
    readonly agent?: string;
    readonly eventId: string;
  };
  /** An AG-UI action of the client is called or has returned. */
  readonly action_call: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly toolName: string;
    /** The arguments, with a copy of `toolName`. */
    readonly args: JsonObject;
    readonly status: "isRunning" | "done" | "error";
    /** A text unchanged, any other value as JSON. */
    readonly output?: string;
    readonly error?: string;
    /** The sub-agent that makes the call; absent for the main agent. */
    readonly agent?: string;
    readonly toolCallId: string;
  };
  /** The next piece of the answer. */
  readonly message: {
    /** A piece of the answer. */
    readonly content: string;
    readonly timestamp: string;
  };
  /** Another agent takes over: `step` is a sub-agent's name, or `agent` for the main one. */
  readonly "router.update": {
    readonly step: string;
    readonly sessionId: string;
    readonly requestId: string;
    readonly runId: string;
  };
  /** An error that ended the run, or a warning in a run that continues. */
  readonly error: {
    /** A sentence for the user. */
    readonly error: string;
    readonly kind:
      | "rate_limit"
      | "billing"
      | "auth"
      | "timeout"
      | "server"
      | "network"
      | "budget_exhausted"
      | "unknown";
    /** The error as one word for programs, narrower than `kind`. New codes are added over time. */
    readonly code:
      | "model_rate_limited"
      | "model_billing"
      | "model_auth"
      | "model_timeout"
      | "model_failed"
      | "model_unreachable"
      | "model_unavailable"
      | "model_unknown"
      | "run_failed"
      | "run_interrupted"
      | "message_unreadable"
      | "answer_too_long"
      | "too_many_steps"
      | "budget_exhausted"
      | "gate_failed"
      | "answer_cut_off"
      | "answer_filtered"
      | "answer_empty"
      | "conversation_shortened"
      | "conversation_summarised"
      | "model_retry"
      | "client_tool_left_out"
      | "delegation_required"
      | "middleware_failed"
      | "notice"
      | "unknown";
    readonly retryable: boolean;
    /** `provider` if the model service failed, `platform` if the oracle failed. */
    readonly source?: "provider" | "platform";
    readonly provider?: string;
    readonly providerLabel?: string;
    /** The HTTP status of the model service. */
    readonly status?: number;
    /** For `budget_exhausted`: the budget that the run used up. */
    readonly limit?: "tokens" | "tools" | "time" | "credits" | "day";
    /** One word for programs. After each of these values the run continues: `answer_cut_off`, `answer_filtered`, `answer_empty`, `conversation_shortened`, `conversation_summarised`, `model_retry`, `client_tool_left_out`, `delegation_required`, `middleware_failed`. */
    readonly detail?: string;
    /** Milliseconds to wait before the next request to the model service. */
    readonly retryAfterMs?: number;
    readonly sessionId: string;
    readonly requestId: string;
    readonly runId: string;
    readonly timestamp: string;
  };
  /** The run has ended. No frame follows. */
  readonly done: {
    readonly runId: string;
    readonly requestId: string;
    readonly status: "finished" | "aborted" | "failed" | "interrupted";
    /** Why the model stopped. Present only if the run finished. */
    readonly finishReason?: "stop" | "length" | "content_filter" | "tool_calls" | "other";
    readonly messageId?: string;
    readonly aborted?: true;
    readonly failed?: true;
    readonly interrupted?: true;
    /** For a run that did not finish: the stored text, which replaces the text shown so far. */
    readonly partialText?: string;
    readonly delegationRequired?: true;
  };
}

/** The name of a frame. */
export type FrameName = keyof Frames;

/** What a frame holds. */
export type FrameData<Name extends FrameName> = Frames[Name];

/** One event of a run. */
export type RunEvent = { [Name in FrameName]: { readonly event: Name; readonly data: Frames[Name] } }[FrameName];

/** The socket's events from the oracle, with their payloads. */
export interface ServerEvents {
  /** The connection was accepted. */
  readonly connected: {
    readonly message: "Connected successfully";
    readonly sessionId: string;
    readonly timestamp: string;
  };
  /** The response to `ping`. */
  readonly pong: {
    readonly timestamp: string;
    readonly sessionId: string;
  };
  /** The response to `status`, with the number of connections of this session. */
  readonly status: {
    readonly connected: true;
    readonly sessionId: string;
    readonly activeSessions: number;
    readonly totalConnections: number;
    readonly timestamp: string;
  };
  /** The response to `subscribe`. */
  readonly subscribed: {
    readonly sessionId: string;
    readonly timestamp: string;
  };
  /** The response to `list-events`: the names of all events in both directions. */
  readonly "available-events": {
    readonly clientEvents: readonly string[];
    readonly serverEvents: readonly string[];
    readonly sessionId: string;
    readonly timestamp: string;
  };
  /** A tool is called or has returned. The two events of one call have the same `eventId`. */
  readonly tool_call: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly toolName: string;
    /** The arguments, with a copy of `toolName`. */
    readonly args: JsonObject;
    readonly status: "isRunning" | "done" | "error";
    /** A text unchanged, any other value as JSON. */
    readonly output?: string;
    readonly error?: string;
    /** The sub-agent that makes the call; absent for the main agent. */
    readonly agent?: string;
    readonly eventId: string;
  };
  /** Asks the client to perform an AG-UI action or, with the name `approve_tool`, asks the user to approve a tool call. The client answers with `action_call_result`. */
  readonly action_call: {
    readonly sessionId: string;
    readonly requestId: string;
    /** Unique per call, `<id of the call>:<uuid>`. Return it unchanged. */
    readonly toolCallId: string;
    readonly toolName: string;
    readonly args: JsonObject;
    readonly status: "isRunning";
  };
  /** Asks the client to show a component. */
  readonly render_component: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly componentName: string;
    readonly args: JsonObject;
    readonly status: "isRunning" | "done" | "error";
    readonly eventId: string;
  };
  /** Asks the client to run a browser tool. The client answers with `tool_result`. */
  readonly browser_tool_call: {
    readonly sessionId: string;
    readonly requestId: string;
    /** Unique per call, `<id of the call>:<uuid>`. Return it unchanged. */
    readonly toolCallId: string;
    readonly toolName: string;
    readonly args: JsonObject;
  };
  /** Another agent or sub-agent takes over. */
  readonly router_update: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly step: string;
  };
  /** A tool of another server was not called, because the user must sign in there first: open `url`. */
  readonly mcp_auth_required: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly server: string;
    readonly url: string;
  };
  /** The transcript or the title changed: read it again. The nested `payload.sessionId` is empty. */
  readonly message_cache_invalidation: {
    readonly sessionId: string;
    readonly requestId: string;
    readonly status?: string;
  };
}

/** The name of an event from the oracle. */
export type ServerEventName = keyof ServerEvents;

/** What an event from the oracle holds. */
export type ServerPayload<Name extends ServerEventName> = ServerEvents[Name];

/** The socket's events from a client, with their payloads. */
export interface ClientEvents {
  /** Requests `pong`. */
  readonly ping: unknown;
  /** Requests `status`. */
  readonly status: unknown;
  /** Requests `subscribed`. */
  readonly subscribe: unknown;
  /** Requests `available-events`. */
  readonly "list-events": unknown;
  /** The result of a `browser_tool_call`, or its `error`. */
  readonly tool_result: {
    /** The id of the call, unchanged. */
    readonly toolCallId: string;
    readonly result?: unknown;
    readonly error?: string | null;
    readonly sessionId?: string;
  };
  /** The result of an `action_call`. A failure has `error`, or `success: false` in the result. */
  readonly action_call_result: {
    /** The id of the call, unchanged. */
    readonly toolCallId: string;
    readonly result?: unknown;
    readonly error?: string | null;
    readonly sessionId?: string;
  };
  /** The browser tools and actions that this tab can run. Send it after `connected` and after each change. Each event replaces the previous one. */
  readonly announce_tools: {
    readonly tools?: readonly string[];
    readonly actions?: readonly string[];
  };
}

/** The name of an event from a client. */
export type ClientEventName = keyof ClientEvents;

/** What an event from a client holds. */
export type ClientPayload<Name extends ClientEventName> = ClientEvents[Name];

/** A page of a user's sessions. */
export interface SessionList {
  readonly sessions: readonly SessionRecord[];
  /** The number of all sessions of the user, not only of this page. */
  readonly total: number;
}

/** The models of an oracle. */
export interface ModelList {
  readonly models: readonly ModelRecord[];
  readonly default: string;
  readonly frontendTools: FrontendTools;
}

/** A file in Matrix, sent with a message. */
export interface Attachment {
  readonly mxcUri?: string;
  readonly eventId?: string;
  readonly filename: string;
  readonly mimetype: string;
  readonly size?: number;
  /** How to decrypt the file. Deleted after the run. */
  readonly file?: EncryptedFile;
}

/** A browser tool, or an AG-UI action, as a message declares it. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  readonly hasRender?: boolean;
}

/** A file that Matrix keeps encrypted, with the key to it. */
export interface EncryptedFile {
  /** The address of the ciphertext. Overrides `mxcUri`. */
  readonly url: string;
  /** A JSON Web Key. */
  readonly key: {
    readonly k: string;
    readonly alg?: string;
    readonly kty?: string;
  };
  readonly iv: string;
  readonly hashes: {
    readonly sha256: string;
  };
  readonly v: string;
}

/** How the oracle calls tools in the browser. */
export interface FrontendTools {
  /** 2: each call has a unique id, and one result. */
  readonly protocolVersion: number;
  /** `single-socket`: a call is sent to one tab only. */
  readonly execution: string;
  /** `unknown`: a call without a result may have been executed. It is not repeated. */
  readonly timeoutOutcome: string;
}

/** A message as the oracle has stored it. */
export interface MessageRecord {
  readonly id: string;
  readonly type: "human" | "ai";
  readonly content: string;
  readonly createdAt: string;
  /** The run of the turn that the message belongs to. */
  readonly runId?: string;
  readonly toolCalls?: readonly ToolCallRecord[];
  readonly reasoning?: string;
  readonly isReasoning: false;
  readonly isComplete: true;
  readonly attachment?: JsonObject;
  readonly attachments?: readonly JsonObject[];
}

/** A page of a session's messages, oldest first, whole turns only. */
export interface MessagePage {
  readonly messages: readonly MessageRecord[];
  /** The oldest turn of the page. Null if the page is empty. */
  readonly prevCursor: string | null;
  /** The newest ended turn of the page. Null if there is none. */
  readonly nextCursor: string | null;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/** A model that a message may ask for. */
export interface ModelRecord {
  readonly id: string;
  readonly label: string;
  readonly family: string;
  readonly tier: "everyday" | "balanced" | "top";
  readonly costLabel: "$" | "$$" | "$$$";
  readonly badge: "Fast" | "Balanced" | "Smartest";
  readonly blurb: string;
  readonly vision: boolean;
  readonly pricing: {
    readonly inputPerMillion: number;
    readonly outputPerMillion: number;
    readonly currency: "USD";
    readonly unit: "per_million_tokens";
  };
  readonly isDefault: boolean;
}

/** How the user wants to be answered; only what is set. */
export interface PreferencesRecord {
  readonly agentName?: string;
  readonly userName?: string;
  readonly language?: string;
  readonly tone?: string;
  readonly length?: string;
  readonly format?: string;
  readonly formality?: string;
  readonly customInstructions?: string;
  readonly updatedAt?: string;
}

/** A run that has not ended. */
export interface RunRecord {
  readonly runId: string;
  readonly sessionId: string;
  readonly requestId: string;
  readonly client: string;
  readonly status: "queued" | "running" | "recovering" | "finished" | "aborted" | "interrupted" | "failed";
  readonly startedAt: string;
  readonly updatedAt: string;
  /** The id of the newest frame. */
  readonly lastSeq: number;
}

/** A message as a client sends it. */
export interface SendMessageInput {
  /** The user's text. */
  readonly message: string;
  /** true: server-sent events; false: one JSON reply. */
  readonly stream?: boolean;
  /** Without `stream`: return the whole transcript too. */
  readonly returnAllMessages?: boolean;
  /** Tools that run in the browser. */
  readonly tools?: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: JsonObject;
  }[];
  /** AG-UI actions of the client. */
  readonly agActions?: readonly ClientTool[];
  readonly attachments?: readonly Attachment[];
  /** MCP tool name to a base64 CAR invocation. */
  readonly mcpInvocations?: { readonly [name: string]: string };
  /** The capabilities of the client. Omitted members default to true, and to no limit. */
  readonly capabilities?: {
    /** The user can approve a tool call while the run waits. If false, such calls are denied. */
    readonly approve?: boolean;
    /** The client shows links only to its user, who can open them in a browser. */
    readonly openLinks?: boolean;
    /** The client has a page with a socket for browser tools, actions and questions. */
    readonly page?: boolean;
    /** UTF-16 units of the longest answer that the client can show. */
    readonly longestAnswer?: number;
  };
  /** IANA name. Overrides the header `x-timezone`. */
  readonly timezone?: string;
  /** The user's Matrix homeserver. */
  readonly homeServer?: string;
  /** Kept with the run. `clientMessageId`, a text of 1 to 128 characters, makes sending idempotent: a request with the same id in the same session returns the run of the first one. */
  readonly metadata?: JsonObject;
  /** A model's id. An unknown id means the default model. */
  readonly model?: string;
  /** How the message affects a run that is still active. */
  readonly multitask?: "interrupt" | "enqueue";
}

/** A session of the user with the oracle. Times are ISO 8601, UTC. */
export interface SessionRecord {
  readonly sessionId: string;
  readonly title: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly oracleName: string;
  readonly oracleDid: string;
  readonly oracleEntityDid: string;
  readonly roomId?: string;
}

/** A call of a tool, as a stored message has it. */
export interface ToolCallRecord {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "done" | "error";
  /** JSON text of the tool's result. */
  readonly output?: string;
  readonly error?: string;
  /** The sub-agent that made the call. */
  readonly agent?: string;
}
