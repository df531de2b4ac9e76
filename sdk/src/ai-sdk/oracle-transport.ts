/**
 * A `ChatTransport` of the AI SDK for an oracle, so that `useChat` of `@ai-sdk/react`, and components built on it, work
 * with an oracle. The AI SDK holds the messages of the page, and the oracle holds the conversation.
 */
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { RequestError } from "../core/errors.ts";
import { asActs, createHttp, type OracleHttp } from "../core/http.ts";
import type { InspectedEntry } from "../core/client-settings.ts";
import type { OracleClient, OracleClientOptions } from "../core/oracle-client.ts";
import type { RunFrame } from "../core/run-stream.ts";
import { createTokens } from "../core/tokens.ts";
import type { MessageRecord, RunRecord, SendMessageInput } from "../core/wire.ts";
import { outgoing, type OutgoingAnswers, type OutgoingMessage, type UploadFile } from "./outgoing-message.ts";
import type { OracleMessageMetadata } from "./run-chunks.ts";
import { readRun, type ReadRunOptions } from "./run-reader.ts";
import { toUIMessages } from "./transcript-messages.ts";

/** The sign-in of a transport that creates its own client. */
export type TransportSignIn = Omit<OracleClientOptions, "endpoints" | "queueStore" | "historyPageSize"> & {
  /** The origin, or origin and path, of the oracle's API. */
  readonly baseUrl: string;
};

/** The options of `createOracleTransport`: a client, or the options to create one, and how messages are sent. */
export type OracleTransportOptions = ({ readonly client: Pick<OracleClient, "http"> } | TransportSignIn) & {
  /** The oracle's session. Default: the chat's id. */
  readonly sessionId?: string;
  /**
   * Members of every message that is sent, such as `model` or `timezone`. The `body` of a single send is added to them.
   */
  readonly body?: Partial<SendMessageInput>;
  /** Uploads files that have no `mxc://` URI. Without it, a message with such a file is refused. */
  readonly upload?: UploadFile;
  /**
   * The effect of `stop`: `abort` (default) also ends the turn on the server; `leave` only stops reading. `useChat`
   * calls `stop` when its component unmounts, unless you pass it a `chat`. With `leave`, the turn continues, and
   * `abort(chatId)` ends it.
   */
  readonly stop?: "abort" | "leave";
  /** Receives the frames of the runs, for the devtools. The client's own `inspect` receives its requests. */
  readonly inspect?: (entry: InspectedEntry) => void;
};

type Listening = Pick<ReadRunOptions, "left" | "onOver" | "onFrame">;

/** The AI SDK's `ChatTransport`, with additional functions for an oracle. */
export interface OracleTransport<Message extends UIMessage = UIMessage> extends ChatTransport<Message> {
  /** A resumed stream starts with the run's first frame. */
  readonly resumeStreamIsReplay: true;
  /** The session's transcript as messages, for `messages` of `useChat`. */
  loadMessages(chatId: string): Promise<UIMessage<OracleMessageMetadata>[]>;
  /** Ends the session's turn on the server, even if another page started it. Never throws. */
  abort(chatId: string): Promise<void>;
}

/**
 * Creates the transport of an oracle, for `useChat` of `@ai-sdk/react`. The chat's id is the session's id.
 *
 * `regenerate` sends the last message again as a new turn, because an oracle keeps its history. A changed earlier
 * message is refused. A call that waits for approval is a tool part in the state `approval-requested`: answer it with
 * `addToolApprovalResponse` and `sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses`. `onData`
 * receives warnings as `data-notice`. A tool's output is a text unchanged, or any other value as JSON.
 *
 * @example
 * const transport = createOracleTransport({ client });
 * const { messages, sendMessage, status, stop } = useChat({ id: sessionId, transport, resume: true });
 */
export function createOracleTransport<Message extends UIMessage = UIMessage>(
  options: OracleTransportOptions,
): OracleTransport<Message> {
  const http = "client" in options ? options.client.http : httpOf(options);
  const sessionOf = (chatId: string): string => options.sessionId ?? chatId;
  /** Messages that the oracle may not have accepted, with the id under which each was sent. */
  const unconfirmed = new Map<string, { readonly messageId: string; readonly clientMessageId: string }>();
  const stops = createStops(async (chatId) => {
    if (options.stop !== "leave") await abort(chatId);
  });

  async function activeRun(chatId: string, signal: AbortSignal): Promise<RunRecord | null> {
    const path = `/sessions/${encodeURIComponent(sessionOf(chatId))}/run`;
    return (await http.json<{ run: RunRecord | null }>(path, { signal })).run;
  }

  async function abort(chatId: string): Promise<void> {
    try {
      await http.json("/messages/abort", { method: "POST", body: { sessionId: sessionOf(chatId) } });
    } catch {
      // No turn was running, or the oracle cannot be reached. If a turn continues, its answer will be in the
      // transcript.
    }
  }

  async function send(
    chatId: string,
    { id, message, attachments }: OutgoingMessage,
    isRegenerated: boolean,
    added: Partial<SendMessageInput>,
    listening: Listening,
  ): Promise<ReadableStream<UIMessageChunk>> {
    const before = unconfirmed.get(chatId);
    const isRepeated = before?.messageId === id;
    const clientMessageId = isRepeated ? before.clientMessageId : isRegenerated ? crypto.randomUUID() : id;
    unconfirmed.set(chatId, { messageId: id, clientMessageId });
    const body: SendMessageInput = {
      ...options.body,
      ...added,
      message,
      stream: true,
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      metadata: { ...options.body?.metadata, ...added.metadata, clientMessageId },
    };
    const start = { sessionId: sessionOf(chatId), body };
    const onAccepted = (): void => void unconfirmed.delete(chatId);
    return readRun({ http, start, ...listening, onAccepted });
  }

  async function answer(
    chatId: string,
    { runId, answers }: OutgoingAnswers,
    listening: Listening,
  ): Promise<ReadableStream<UIMessageChunk>> {
    for (const { id, approved } of answers) {
      const path = `/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(id)}`;
      try {
        await http.json(path, { method: "POST", body: { approved } });
      } catch (error) {
        // Another client answered first. The run reports the answer.
        if (!(error instanceof RequestError && error.code === "approval_over")) throw error;
      }
    }
    const run = await activeRun(chatId, listening.left.signal);
    const until = run?.runId === runId ? run.lastSeq : Infinity;
    const replay = { until, answers: answers.map(({ id }) => id), isContinued: true };
    return readRun({ http, start: { runId, after: 0 }, ...listening, replay });
  }

  function listen(chatId: string, signal: AbortSignal | undefined): Listening {
    const { left, over } = stops.listen(chatId, signal);
    const sessionId = sessionOf(chatId);
    const seen = ({ event, data }: RunFrame): void =>
      options.inspect?.({ at: Date.now(), sessionId, kind: "frame", name: event, detail: data });
    return { left, onOver: over, onFrame: seen };
  }

  return {
    resumeStreamIsReplay: true,
    async sendMessages({ chatId, trigger, messageId, messages, abortSignal, body, metadata }) {
      const listening = listen(chatId, abortSignal);
      try {
        const sent = await outgoing({ trigger, messageId, messages }, options.upload);
        await stops.settled(chatId);
        if (sent.kind === "answers") return await answer(chatId, sent, listening);
        const given: Partial<SendMessageInput> = { ...body };
        const isObject = typeof metadata === "object" && metadata !== null;
        const added = isObject ? { ...given, metadata: { ...given.metadata, ...metadata } } : given;
        return await send(chatId, sent, trigger === "regenerate-message", added, listening);
      } catch (error) {
        listening.onOver();
        throw error;
      }
    },
    async reconnectToStream({ chatId, abortSignal }) {
      const settled = stops.resumes(chatId);
      const listening = listen(chatId, abortSignal);
      try {
        await settled;
        const run = await activeRun(chatId, listening.left.signal);
        if (run === null) {
          listening.onOver();
          return null;
        }
        const replay = { until: run.lastSeq, answers: [], isContinued: false };
        return await readRun({ http, start: { runId: run.runId, after: 0 }, ...listening, replay });
      } catch (error) {
        listening.onOver();
        throw error;
      }
    },
    async loadMessages(chatId) {
      const path = `/messages/${encodeURIComponent(sessionOf(chatId))}`;
      return toUIMessages((await http.json<{ messages: MessageRecord[] }>(path)).messages);
    },
    abort,
  };
}

/** Only requests, because a transport needs neither chats nor sockets. All its requests are user actions. */
function httpOf(options: TransportSignIn): OracleHttp {
  const { oracleDid, userDid, baseUrl, matrix, fetch, inspect } = options;
  const tokens =
    options.tokens ??
    createTokens({
      oracleDid,
      userDid,
      creators: () => options,
      store: options.tokenStore,
      onSigned: (kind) => inspect?.({ at: Date.now(), kind: "tokens", name: `signed ${kind}` }),
    });
  return asActs(createHttp({ endpoints: { apiUrl: baseUrl }, tokens, matrix, fetch, inspect }), tokens);
}

/**
 * Handles an aborted stream of the AI SDK. An abort means `stop`, or that the chat resumes again, as React's StrictMode
 * does. A resume starts in the same task. The turn is therefore ended one task later, unless the chat has resumed by
 * then.
 */
interface Stops {
  /** Listens until `over` is called. `left` signals the reader of the run. */
  listen(chatId: string, signal: AbortSignal | undefined): { readonly left: AbortController; over(): void };
  /** The chat resumes, so a stop in this task does not count. Resolves when an earlier stop has reached the oracle. */
  resumes(chatId: string): Promise<void>;
  /** Resolves when a stop has reached the oracle, so that it cannot end the next message. */
  settled(chatId: string): Promise<void>;
}

function createStops(abort: (chatId: string) => Promise<void>): Stops {
  interface PendingStop {
    isMeant: boolean;
    done: Promise<void>;
  }
  const pending = new Map<string, PendingStop>();

  function stop(chatId: string): void {
    const entry: PendingStop = { isMeant: true, done: Promise.resolve() };
    pending.set(chatId, entry);
    entry.done = carryOut(chatId, entry);
  }

  async function carryOut(chatId: string, entry: PendingStop): Promise<void> {
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    if (entry.isMeant) await abort(chatId);
    if (pending.get(chatId) === entry) pending.delete(chatId);
  }

  return {
    listen(chatId, signal) {
      const left = new AbortController();
      const onAbort = (): void => {
        left.abort();
        stop(chatId);
      };
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
      return { left, over: () => signal?.removeEventListener("abort", onAbort) };
    },
    resumes(chatId) {
      const entry = pending.get(chatId);
      if (entry !== undefined) entry.isMeant = false;
      return entry?.done ?? Promise.resolve();
    },
    settled: (chatId) => pending.get(chatId)?.done ?? Promise.resolve(),
  };
}
