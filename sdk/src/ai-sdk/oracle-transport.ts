/**
 * An oracle as a `ChatTransport` of the AI SDK, so that `useChat` of `@ai-sdk/react`, and what is built on it, runs on an oracle. The
 * AI SDK holds the messages of the page; the oracle holds the conversation.
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

/** Signing in for a transport that makes its own client. */
export type TransportSignIn = Omit<OracleClientOptions, "endpoints" | "queueStore" | "historyPageSize"> & {
  /** Origin, or origin and path, of the oracle's API. */
  readonly baseUrl: string;
};

/** Of `createOracleTransport`: a client, or what one is made of, and how messages are sent. */
export type OracleTransportOptions = ({ readonly client: Pick<OracleClient, "http"> } | TransportSignIn) & {
  /** The oracle's session; the chat's id when absent. */
  readonly sessionId?: string;
  /** Members of every message that is sent, such as `model` or `timezone`; `body` of a single send comes on top. */
  readonly body?: Partial<SendMessageInput>;
  /** Takes files that have no `mxc://` URI. Without it such a message is refused. */
  readonly upload?: UploadFile;
  /**
   * What `stop` does: `abort` (the default) ends the turn on the server too; `leave` only stops listening. `useChat` calls `stop`
   * when its component goes away, unless it was given a `chat`; with `leave` the turn goes on, and `abort(chatId)` ends it.
   */
  readonly stop?: "abort" | "leave";
  /** Sees the frames of the runs, for the devtools; what is asked of the oracle is seen by the client's own. */
  readonly inspect?: (entry: InspectedEntry) => void;
};

type Listening = Pick<ReadRunOptions, "left" | "onOver" | "onFrame">;

/** The AI SDK's `ChatTransport`, and what an oracle has beside it. */
export interface OracleTransport<Message extends UIMessage = UIMessage> extends ChatTransport<Message> {
  /** A stream that is joined again begins with the run's first frame. */
  readonly resumeStreamIsReplay: true;
  /** The session's transcript as messages, for `messages` of `useChat`. */
  loadMessages(chatId: string): Promise<UIMessage<OracleMessageMetadata>[]>;
  /** Ends the session's turn on the server, also one that another page began. Never throws. */
  abort(chatId: string): Promise<void>;
}

/**
 * Makes the transport of an oracle, for `useChat` of `@ai-sdk/react`. The chat's id is the session's id.
 *
 * `regenerate` sends the last message once more as a new turn, since an oracle keeps its history; a changed earlier message is
 * refused. A call that waits for approval is a tool part in the state `approval-requested`: answer it with
 * `addToolApprovalResponse` and `sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses`. Warnings reach
 * `onData` as `data-notice`. A tool's output is a text as it is, and any other value as JSON.
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
  /** Messages that the oracle is not known to have taken, and the id under which each was sent. */
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
      // Nothing ran, or nobody can be reached; a turn that goes on is in the transcript.
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
        // Somebody else was faster; the run says how it was answered.
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

/** Requests alone: a transport needs neither the chats nor the sockets of a client. All that it asks for, the user wants. */
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
 * What follows when the AI SDK aborts a stream: it means `stop`, or that the chat resumes once more, as React's StrictMode makes it
 * do. The second begins in the same task, so the turn is ended one task later unless the chat has resumed by then.
 */
interface Stops {
  /** Listens until `over` is called; `left` tells whoever reads the run. */
  listen(chatId: string, signal: AbortSignal | undefined): { readonly left: AbortController; over(): void };
  /** The chat resumes: a stop of this very task was none. Resolves when an earlier one has reached the oracle. */
  resumes(chatId: string): Promise<void>;
  /** Resolves when a stop has reached the oracle, so that it cannot end what is sent next. */
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
