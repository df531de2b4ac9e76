/**
 * Follows one run to its end over any number of connections: each joins behind the last frame that was read, so that no frame
 * is lost and none is applied twice.
 */
import type { OracleHttp } from "./http.ts";
import type { FrameData, RunEvent, SendMessageInput } from "./wire.ts";

/** A frame of a run; ids grow from 1 within it. */
export type RunFrame = RunEvent & { readonly id: number };

export interface RunIdentity {
  readonly runId: string;
  readonly requestId: string;
}

export interface FollowRunOptions {
  readonly http: OracleHttp;
  /** A message to send, or a run to join behind the frame `after`. */
  readonly start:
    | { readonly sessionId: string; readonly body: SendMessageInput }
    | { readonly runId: string; readonly after: number };
  readonly signal: AbortSignal;
  /** The server has taken the message, or the run is there. */
  onAccepted(run: RunIdentity): void;
  onFrame(frame: RunFrame): void;
  /** The connection was lost and the run is being joined again; `false` with the next frame. */
  onReconnecting(reconnecting: boolean): void;
  /** Ends a wait before the next attempt at once: the page became visible or came online. */
  readonly wake: (listener: () => void) => () => void;
}

/**
 * How it went: the frame that ended it; `left` when the signal ended it; `lost` when the run is gone (404) or could not be
 * joined any more. Throws `RequestError` or `OfflineError` when the message was not accepted.
 */
export type RunOutcome =
  | { readonly kind: "done"; readonly done: FrameData<"done"> }
  | { readonly kind: "left" }
  | { readonly kind: "lost" };
