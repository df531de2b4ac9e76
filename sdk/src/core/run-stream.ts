/**
 * Follows one run to its end over any number of connections. Each connection starts after the last frame that was read,
 * so no frame is lost or applied twice. Frames are parsed from the bytes of a response, however the bytes are split.
 */
import type { EventSourceMessage } from "eventsource-parser";
import { chunksOf } from "../../../shared/stream-lines.ts";
import { pause } from "../../../shared/pause.ts";
import { OfflineError, refusalOf, RequestError, retryAfterOf } from "./errors.ts";
import { segment, type OracleHttp } from "./http.ts";
import { SigningError } from "./tokens.ts";
import { dropWrongTexts, hasTexts, isObject } from "./wire-members.ts";
import type { FrameData, FrameName, RunEvent, SendMessageInput } from "./wire.ts";

export interface RunIdentity {
  readonly runId: string;
  readonly requestId: string;
}

export interface FollowRunOptions {
  readonly http: OracleHttp;
  /** A message to send, or a run to join after the frame `after`. */
  readonly start:
    | { readonly sessionId: string; readonly body: SendMessageInput }
    | { readonly runId: string; readonly after: number };
  readonly signal: AbortSignal;
  /** The server has accepted the message, or the run exists. Called once. */
  onAccepted(run: RunIdentity): void;
  onFrame(frame: RunFrame): void;
  /** Receives every event unchanged, even unknown and repeated ones. */
  readonly onMessage?: (message: EventSourceMessage) => void;
  /** `true`: the connection was lost, and the client is rejoining the run; `false` with the next frame. */
  onReconnecting(reconnecting: boolean): void;
  /** Ends the wait before the next attempt: the page became visible or came online. */
  readonly wake: (listener: () => void) => () => void;
  readonly limits?: Partial<RunLimits>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 0 to 1. */
  readonly random?: () => number;
  /** Waits before the next attempt. The signal ends the wait early. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * The outcome: the frame that ended the run; `left` if the signal ended it; `lost` if the run is gone (404) or could
 * not be rejoined, with the error of the last attempt. Throws `RequestError`, `OfflineError` or `SigningError` if the
 * message was not accepted.
 */
export type RunOutcome =
  | { readonly kind: "done"; readonly done: FrameData<"done"> }
  | { readonly kind: "left" }
  | { readonly kind: "lost"; readonly error?: Error | undefined };

/** All values are milliseconds. */
export interface RunLimits {
  /** A connection without a byte for this long is lost. The server sends a heartbeat every 15 seconds. */
  readonly silence: number;
  /** The same limit after the last frame, when only the end of the body is missing. */
  readonly silenceAfterDone: number;
  /** The same limit when the page becomes active, because a connection that a sleeping device lost looks open. */
  readonly silenceOnWake: number;
  /** The wait before the first attempt to rejoin. It doubles with each attempt. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** The total of consecutive waits without a frame or a wake. A server does not resume older runs. */
  readonly giveUp: number;
  /** The longest wait that the client accepts from the oracle. After it, the client tries again. */
  readonly longestRetryAfter: number;
}

export const RUN_LIMITS: RunLimits = {
  silence: 45_000,
  silenceAfterDone: 1000,
  silenceOnWake: 2000,
  firstWait: 250,
  longestWait: 8000,
  giveUp: 30 * 60_000,
  longestRetryAfter: 60_000,
};

/**
 * How often the client resends a message that may have arrived: enough for a broken connection, not for a night
 * offline.
 */
export const SEND_REPEATS = 2;

export async function followRun(options: FollowRunOptions): Promise<RunOutcome> {
  const { http, start, signal, now = Date.now, random = Math.random } = options;
  const limits = { ...RUN_LIMITS, ...options.limits };
  let run: RunIdentity | undefined;
  let runId = "runId" in start ? start.runId : undefined;
  let after = "runId" in start ? start.after : 0;
  let failures = 0;
  let waited = 0;
  /** The wait that the oracle requested with its refusal. */
  let retryAfter = 0;
  let done: FrameData<"done"> | undefined;
  /** Called when the page becomes active: ends a wait, or checks the connection. */
  let onWake = () => {};
  let failed: { readonly error: unknown } | undefined;

  function accepted(identity: RunIdentity): void {
    if (run !== undefined) return;
    run = identity;
    runId = identity.runId;
    options.onAccepted(identity);
  }

  function apply(frame: RunFrame): void {
    // The server repeats `done` for a run that has ended.
    if (done !== undefined || (frame.id <= after && frame.event !== "done")) return;
    if (frame.event === "run") accepted(frame.data);
    if (failures > 0) options.onReconnecting(false);
    after = Math.max(after, frame.id);
    failures = waited = 0;
    options.onFrame(frame);
    if (frame.event === "done") done = frame.data;
  }

  /** One connection, from its request to its end. Returns how it was refused. */
  async function connect(): Promise<Refusal | undefined> {
    const connection = new AbortController();
    const leave = () => connection.abort(signal.reason);
    signal.addEventListener("abort", leave);
    try {
      const response = await request(connection.signal);
      if (!response.ok) return await refused(response);
      if (response.body === null) return undefined;
      const identity = { runId: response.headers.get("x-run-id"), requestId: response.headers.get("x-request-id") };
      if (isIdentity(identity)) accepted(identity);
      await read(response.body, connection);
    } finally {
      signal.removeEventListener("abort", leave);
      connection.abort();
    }
    return undefined;
  }

  function request(connection: AbortSignal): Promise<Response> {
    const stream = { Accept: "text/event-stream" };
    if (runId !== undefined) {
      return http.open(`/runs/${segment(runId)}?after=${after}`, { signal: connection, headers: stream });
    }
    const { sessionId, body } = start as { readonly sessionId: string; readonly body: SendMessageInput };
    const sent = { method: "POST", body: { ...body, stream: true }, signal: connection, headers: stream } as const;
    return http.open(`/messages/${segment(sessionId)}`, sent);
  }

  /** Throws the refusal of a message. */
  async function refused(response: Response): Promise<Refusal> {
    const error = await refusalOf(response);
    if (runId === undefined) throw error;
    retryAfter = retryAfterOf(error);
    return { error, isFinal: [401, 403, 404].includes(response.status) };
  }

  async function read(body: ReadableStream<Uint8Array>, connection: AbortController): Promise<void> {
    let lastByte = now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = (): void => {
      lastByte = now();
      clearTimeout(timer);
      timer = setTimeout(() => connection.abort(), done === undefined ? limits.silence : limits.silenceAfterDone);
    };
    onWake = () => {
      if (now() - lastByte > limits.silenceOnWake) connection.abort();
    };
    watch();
    try {
      const onFrame = guarded((frame) => {
        apply(frame);
        if (done !== undefined) watch();
      });
      await readFrames(body, onFrame, watch, options.onMessage);
    } catch (cause) {
      throw new OfflineError("The connection to the run was lost.", { cause });
    } finally {
      clearTimeout(timer);
      onWake = () => {};
    }
  }

  /** Marks errors of the caller's function, so that they do not count as a broken connection. */
  function guarded(call: (frame: RunFrame) => void): (frame: RunFrame) => void {
    return (frame) => {
      if (signal.aborted) return;
      try {
        call(frame);
      } catch (error) {
        failed = { error };
        throw error;
      }
    };
  }

  async function waitBeforeRetry(): Promise<void> {
    const own = Math.min(limits.longestWait, limits.firstWait * 2 ** (failures - 1)) * (0.5 + random() / 2);
    const wait = Math.max(own, Math.min(retryAfter, limits.longestRetryAfter));
    retryAfter = 0;
    waited += wait;
    const waiting = new AbortController();
    const end = () => waiting.abort();
    signal.addEventListener("abort", end);
    onWake = () => {
      waited = 0;
      failures = 1;
      end();
    };
    try {
      await (options.pause ?? pause)(wait, waiting.signal);
    } finally {
      signal.removeEventListener("abort", end);
      onWake = () => {};
    }
  }

  const sleep = options.wake(() => onWake());
  try {
    for (;;) {
      let error: Error | undefined;
      try {
        if (signal.aborted) return { kind: "left" };
        const refusal = await connect();
        error = refusal?.error;
        if (refusal?.isFinal === true) return { kind: "lost", error };
      } catch (reason) {
        error = reason as Error;
      }
      if (failed !== undefined) throw failed.error;
      if (done !== undefined) return { kind: "done", done };
      if (signal.aborted) return { kind: "left" };
      failures += 1;
      if (runId === undefined) {
        if (!mayRepeat(start, error) || failures > SEND_REPEATS)
          throw error ?? new OfflineError("The response did not start.");
      } else {
        if (error instanceof SigningError || waited > limits.giveUp) return { kind: "lost", error };
        if (failures === 1) options.onReconnecting(true);
      }
      await waitBeforeRetry();
    }
  } finally {
    sleep();
  }
}

/** A refused attempt to join. */
interface Refusal {
  readonly error: Error;
  readonly isFinal: boolean;
}

function isIdentity(identity: { runId: string | null; requestId: string | null }): identity is RunIdentity {
  return identity.runId !== null && identity.requestId !== null;
}

/**
 * A message that may have arrived is resent only under an id that the server recognizes, and not before the requested
 * wait is over.
 */
function mayRepeat(start: FollowRunOptions["start"], error: unknown): boolean {
  const isSafe = "body" in start && typeof start.body.metadata?.["clientMessageId"] === "string";
  return isSafe && retryAfterOf(error) === 0 && !(error instanceof RequestError) && !(error instanceof SigningError);
}

/** A frame of a run. Ids grow from 1 within the run. */
export type RunFrame = RunEvent & { readonly id: number };

/** The required members, all of them texts. */
const neededTexts: Readonly<Record<FrameName, readonly string[]>> = {
  run: ["runId", "requestId"],
  reasoning: ["requestId", "reasoning"],
  tool_call: ["requestId", "toolName", "status", "eventId"],
  action_call: ["requestId", "toolName", "status", "toolCallId"],
  message: ["content"],
  "router.update": ["step"],
  error: ["error"],
  done: ["status"],
};

/** The possible outcomes of a turn. */
const ENDS: readonly unknown[] = ["finished", "failed", "aborted", "interrupted"];
/** Characters: far more than a whole answer or a tool's output, but small enough for a phone. */
export const MAX_EVENT_LENGTH = 4 * 1024 * 1024;

/**
 * Calls `onFrame` for each frame, and `onBytes` for all data, including heartbeats. Resolves when the body ends.
 * Rejects if the body breaks off or `onFrame` throws.
 */
export async function readFrames(
  body: ReadableStream<Uint8Array>,
  onFrame: (frame: RunFrame) => void,
  onBytes: () => void,
  onMessage?: (message: EventSourceMessage) => void,
): Promise<void> {
  // Loaded with the first run, not with the page.
  const { createParser } = await import("eventsource-parser");
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") throw new RangeError("An event of the run is too long.");
    },
    onEvent(message) {
      onMessage?.(message);
      const frame = frameOf(message);
      if (frame !== undefined) onFrame(frame);
    },
  });
  for await (const chunk of chunksOf(body)) {
    onBytes();
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
  // A last frame counts even without its empty line. A frame that is cut inside its data is not JSON and is dropped.
  parser.feed("\n\n");
}

/** Undefined for an event of a newer server, and for data with unexpected members. */
function frameOf({ event, id, data }: EventSourceMessage): RunFrame | undefined {
  if (event === undefined || id === undefined || !/^\d+$/.test(id) || !Object.hasOwn(neededTexts, event))
    return undefined;
  const members = parsed(data);
  if (!hasTexts(members, neededTexts[event as FrameName])) return undefined;
  dropWrongTexts(members);
  if (event.endsWith("_call")) members["args"] ??= {};
  const { args, status } = members;
  const isArgs = args === undefined || (isObject(args) && !Array.isArray(args));
  // An unknown status of a newer server. The transcript has the details.
  if (event === "done" && !ENDS.includes(status)) members["status"] = "finished";
  return isArgs ? ({ event, id: Number(id), data: members } as unknown as RunFrame) : undefined;
}

function parsed(data: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(data) as object) };
  } catch {
    return {};
  }
}
