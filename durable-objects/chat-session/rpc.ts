/**
 * The plain data that crosses the RPC boundary of a ChatSession, and the calls themselves. Every call names its
 * caller; an unknown session and a foreign one answer alike (`Session not found`, `Run not found`).
 */
import type { FinishReason, MessagePage, RunRecord, RunStatus, SessionRecord } from "../../protocol/records.ts";
import type { Attachment, ClientTool } from "../../protocol/requests.ts";
import type { JsonObject, JsonValue } from "../../workers/platform/json.ts";
import type { Result } from "../../workers/platform/result.ts";

/** A verified user-to-oracle delegation. */
export interface Delegation {
  /** Base64 of the CAR, as the user sent it. */
  readonly token: string;
  /** Unix seconds of the earliest expiry in the chain; null when nothing in it expires. */
  readonly expiration: number | null;
  readonly capabilities: readonly { readonly can: string; readonly with: string }[];
}

export interface RunRequest {
  /** A UUID that becomes the second half of the run's id: what the turn used is counted under it. */
  readonly runKey?: string | undefined;
  /** The client's own id of the message: the same one again answers with the run that the first one started. */
  readonly clientMessageId?: string | undefined;
  readonly requestId: string;
  readonly client: "portal" | "slack" | "ussd";
  readonly message: string;
  readonly model?: string;
  readonly multitask: "interrupt" | "enqueue";
  readonly timezone?: string;
  /** How the surface that asks wants its answer: `in Kiswahili, as plain text`. Said to the model, never to the user. */
  readonly answerStyle?: string;
  readonly attachments: readonly Attachment[];
  readonly tools: readonly ClientTool[];
  readonly agActions: readonly ClientTool[];
  readonly mcpInvocations: Readonly<Record<string, string>>;
  readonly homeServer?: string;
  readonly metadata: JsonObject;
  /** The delegation of the request's own header; kept with the run and erased at its end. */
  readonly delegation?: Delegation;
}

export interface PageRequest {
  /** How many turns, 1 to 100. */
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
  /** Without a cursor: the oldest turns instead of the newest ones. */
  readonly fromStart?: boolean;
}

export interface RunStarted {
  readonly runId: string;
  readonly requestId: string;
  /** The run's frames as server-sent events from the first one on. */
  readonly frames: ReadableStream<Uint8Array>;
  /** The message was sent before: this is the run that it started then. */
  readonly replayed?: true;
}

export interface RunFollowed {
  readonly requestId: string;
  readonly frames: ReadableStream<Uint8Array>;
}

/** How a run ended, or stands, for a caller who waits for the whole answer (contract/oracle.md section 6.3). */
export interface RunReply {
  readonly runId: string;
  readonly status: RunStatus;
  readonly content: string;
  readonly messageId?: string;
  readonly delegationRequired?: true;
  /** Present when `status` is `finished`. */
  readonly finishReason?: FinishReason;
  /** Present when `status` is `failed`. */
  readonly failure?: RunFailure;
  /** The message was sent before: this is the run that it started then. */
  readonly replayed?: true;
}

export interface RunFailure {
  readonly kind: string;
  readonly message: string;
  /** When the model's provider wants to be asked again, milliseconds from the failure. */
  readonly retryAfterMs?: number;
}

export interface ChatSessionRpc {
  /** Makes the session; the same call again answers the same record. */
  create(owner: string, record: SessionRecord): Promise<SessionRecord>;
  describe(caller: string): Promise<Result<SessionRecord>>;
  /** Stops the live run and erases everything. */
  destroy(caller: string): Promise<Result<null>>;
  /** `messageLimit`: how many messages the session takes in all; 0 or nothing means no limit. */
  startRun(caller: string, turn: RunRequest, messageLimit?: number): Promise<Result<RunStarted>>;
  /** Starts a turn and waits for its end; a caller who goes away does not stop it. */
  completeRun(caller: string, turn: RunRequest, messageLimit?: number): Promise<Result<RunReply>>;
  /** Whether a message of that id was ever taken on, so that another of it starts nothing. */
  hasMessage(caller: string, clientMessageId: string): Promise<Result<boolean>>;
  /**
   * Starts a turn of client `ussd` unless one of its request id was ever started here: a question that is asked again
   * is asked once (decisions 2.4).
   */
  acceptRun(caller: string, turn: RunRequest): Promise<Result<{ readonly runId: string; readonly replayed?: true }>>;
  /** How that turn stands, as soon as it has ended or after `withinMs`, at most 10 s; its run may be long pruned. */
  awaitReply(caller: string, requestId: string, withinMs: number): Promise<Result<RunReply>>;
  /** Frames with an id above `after`, then live ones, then `done`. */
  followRun(caller: string, runId: string, after: number): Promise<Result<RunFollowed>>;
  activeRun(caller: string): Promise<Result<RunRecord | null>>;
  /** Answers whether anything was in flight. */
  abort(caller: string): Promise<Result<boolean>>;
  messagePage(caller: string, page: PageRequest): Promise<Result<MessagePage>>;
  /** Disconnects a socket of the caller's that is one too many for him; one that is gone or another's is passed over. */
  dismissSocket(caller: string, socketId: string): Promise<void>;
}

/** One frame's payload before it is numbered. */
export type FrameData = Readonly<Record<string, JsonValue | undefined>>;
