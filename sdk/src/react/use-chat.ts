/** A conversation with an oracle: its state and its operations. */
"use client";
import { useQueryClient, type RefetchOptions } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import {
  IDLE_RUN_STATE,
  type Chat,
  type ChatRunState,
  type ChatSnapshot,
  type ChatStatus,
  type PendingQuestion,
  type PendingSignIn,
  type QueuedMessage,
} from "../core/chat.ts";
import { errorOf } from "../core/errors.ts";
import type { IChatOptions } from "./chat-options.ts";
import type { Attachment, IMessage, UIComponents } from "./message-content.ts";
import { mapMessage, type MappingOptions } from "./message-mapping.tsx";
import { subscribeToNothing, useOracleClient, useOraclesParts, useSharedChat } from "./oracles-context.ts";
import { refreshSessionLists } from "./session-lists.ts";
import { useClientTools } from "./use-client-tools.ts";
import { useLatest } from "./use-latest.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";

/** The result of `useChat`. */
export interface UseChatResult {
  /** Oldest first. An unchanged message keeps its identity. */
  messages: IMessage[];
  /** The hook is reading the newest page of the history for the first time. */
  isLoading: boolean;
  /** The error of the turn, of sending, of reading the history, or of a tool or action that cannot be offered. */
  error: Error | null;
  /** A turn is running. */
  isSending: boolean;
  /**
   * Sends a message. While a turn is running or the oracle cannot be reached, the message waits in `queue`. Resolves
   * when its turn has ended, was stopped or needs a payment. Rejects if the oracle refuses it, and if there is no
   * session.
   */
  sendMessage: (message: string, metadata?: Record<string, unknown>, attachments?: Attachment[]) => Promise<void>;
  /** Stops the turn on the server, even if it started before a reload or in another tab. Never throws. */
  abortStream: () => Promise<void>;
  /** Reads the newest messages again. It ignores its options; `error` contains the error of a failed read. */
  refetchMessages: (options?: RefetchOptions) => Promise<void>;
  /** The error of the last message that this component sent. */
  sendMessageError: Error | null | undefined;
  /** The socket is connected, so browser tools, actions and updates from other tabs work. */
  isRealTimeConnected: boolean;
  status: ChatStatus | undefined;
  /** The run of the current turn, or else of the last turn. */
  run: ChatRunState;
  /** The address of the oracle is known. */
  isConfigReady: boolean;
  /** There are older messages than the loaded ones. */
  hasEarlier: boolean;
  /** Loads the page of messages before the oldest one. */
  loadEarlier: () => Promise<void>;
  isLoadingEarlier: boolean;
  /** The messages that wait to be sent, oldest first. They survive a reload. */
  queue: readonly QueuedMessage[];
  /** Removes a message from the queue. Returns false if the queue does not contain it. */
  cancelQueued: (id: string) => boolean;
  /** Sends the paused messages. With an id, sends that message first, even if it failed. */
  resumeQueue: (id?: string) => void;
  /** Questions of the oracle to the user: tools to approve, forms to fill in. */
  questions: readonly PendingQuestion[];
  /** Answers a question by its `id`: `{ approved: true }`, or the values of the form. */
  answerQuestion: (id: string, answer: { approved: boolean } | Record<string, unknown>) => Promise<void>;
  /** Sign-ins at other services that tools wait for. */
  signIns: readonly PendingSignIn[];
}

/**
 * A conversation with an oracle. All components that name the same session share one chat: one stream, one socket, one
 * queue. You can write callbacks and tools inline; the hook always uses the newest.
 *
 * @example
 * const { messages, sendMessage, status } = useChat({ oracleDid, sessionId, onPaymentRequiredError: setClaims });
 */
export function useChat(options: IChatOptions): UseChatResult {
  const { oracleDid, sessionId, overrides, uiComponents, browserTools } = options;
  const client = useOracleClient(oracleDid, overrides);
  const queries = useQueryClient();
  const { apiUrl } = useOracleEndpoints(oracleDid, overrides);
  const { chat, view } = useSharedChat(options);
  const snapshot = useSyncExternalStore(
    view?.subscribe ?? subscribeToNothing,
    () => view?.getSnapshot() ?? IDLE_SNAPSHOT,
    () => (view === undefined ? IDLE_SNAPSHOT : SERVER_SNAPSHOT),
  );

  const latest = useLatest({ options, client, queries });
  const [holder] = useState((): ChatHolder => ({
    onPaymentRequired: (claimIds) => latest.current.options.onPaymentRequiredError(claimIds),
    onInvalidated() {
      const { queries, client } = latest.current;
      // The lists report their own errors.
      refreshSessionLists(queries, client).catch(() => undefined);
    },
  }));
  useEffect(() => (chat === undefined ? undefined : holdChat(chat, holder)), [chat, holder]);
  const toolFault = useClientTools(chat, browserTools);
  const sending = useChatSending(chat, holder, () => latest.current.options.model, toolFault);

  const mapping = useMessageMapping(sessionId, uiComponents);
  const messages = useMemo(
    () => snapshot.messages.flatMap((message) => mapMessage(message, mapping) ?? []),
    [snapshot.messages, mapping],
  );
  const { status, error, run, isRealTimeConnected, isLoading, hasEarlier, isLoadingEarlier } = snapshot;
  const { queue, questions, signIns } = snapshot;
  return {
    ...sending,
    messages,
    isLoading,
    error: error ?? toolFault ?? null,
    isSending: status === "submitted" || status === "streaming",
    isRealTimeConnected,
    status,
    run,
    isConfigReady: apiUrl !== null,
    hasEarlier,
    isLoadingEarlier,
    queue,
    questions,
    signIns,
  };
}

type Sending = Pick<
  UseChatResult,
  | "sendMessage"
  | "sendMessageError"
  | "abortStream"
  | "refetchMessages"
  | "loadEarlier"
  | "cancelQueued"
  | "resumeQueue"
  | "answerQuestion"
>;

/**
 * The operations of a chat, as functions that keep their identity as long as the chat exists.
 *
 * @param model the currently selected model
 * @param fault an error of the page's tools: no message is sent without a tool that the application relies on
 */
function useChatSending(
  chat: Chat | undefined,
  holder: ChatHolder,
  model: () => string | undefined,
  fault: Error | undefined,
): Sending {
  const [failure, setFailure] = useState<{ readonly chat: Chat; readonly error: Error } | null>(null);
  const latest = useLatest({ model, fault });
  const actions = useMemo(
    (): Omit<Sending, "sendMessageError"> => ({
      async sendMessage(message, metadata, attachments) {
        if (chat === undefined) throw new Error("There is no session to send to: create one and pass its sessionId.");
        noteSender(chat, holder);
        setFailure(null);
        const { fault } = latest.current;
        const model = latest.current.model();
        try {
          if (fault !== undefined) throw fault;
          await chat.send(message, {
            ...(metadata !== undefined && { metadata }),
            ...(attachments !== undefined && { attachments }),
            ...(model !== undefined && { model }),
          });
        } catch (cause) {
          const error = errorOf(cause);
          setFailure({ chat, error });
          throw error;
        }
      },
      async abortStream() {
        await chat?.abort();
      },
      async refetchMessages() {
        await chat?.refetch();
      },
      async loadEarlier() {
        await chat?.loadEarlier();
      },
      cancelQueued(id) {
        setFailure(null);
        return chat?.cancelQueued(id) ?? false;
      },
      resumeQueue(id) {
        setFailure(null);
        chat?.resumeQueue(id);
      },
      async answerQuestion(id, answer) {
        await chat?.answerQuestion(id, answer);
      },
    }),
    [chat, holder, latest],
  );
  return { ...actions, sendMessageError: failure?.chat === chat ? failure?.error : null };
}

/** A component that holds a chat. The chat runs while it has a holder, and calls the right holder back. */
interface ChatHolder {
  onPaymentRequired(claimIds: string[]): void;
  onInvalidated(): void;
}

interface Holders {
  readonly all: Set<ChatHolder>;
  /**
   * The last sender, which receives a payment request. If the sender of the message is unknown, all holders receive it.
   */
  sender: ChatHolder | undefined;
}

const holdersOf = new WeakMap<Chat, Holders>();

/**
 * Keeps the chat running until the returned function is called. If React mounts a component again in the same task
 * (StrictMode), the stream and the socket continue.
 */
function holdChat(chat: Chat, holder: ChatHolder): () => void {
  const holders = holdersOf.get(chat) ?? open(chat);
  holders.all.add(holder);
  const release = chat.retain();
  return () => {
    holders.all.delete(holder);
    if (holders.sender === holder) holders.sender = undefined;
    release();
  };
}

function noteSender(chat: Chat, holder: ChatHolder): void {
  const holders = holdersOf.get(chat);
  if (holders?.all.has(holder) === true) holders.sender = holder;
}

function open(chat: Chat): Holders {
  const holders: Holders = { all: new Set(), sender: undefined };
  holdersOf.set(chat, holders);
  chat.setCallbacks({
    onPaymentRequired(claimIds) {
      const { all, sender } = holders;
      for (const holder of sender === undefined ? [...all] : [sender]) holder.onPaymentRequired(claimIds);
    },
    onInvalidated() {
      // One call for all holders, because they read the same lists.
      const [holder] = holders.all;
      holder?.onInvalidated();
    },
  });
  return holders;
}

/**
 * How messages are rendered here. The options keep their identity while the names are the same, even if the components
 * change.
 */
export function useMessageMapping(sessionId: string, uiComponents: UIComponents | undefined): MappingOptions {
  const { actions } = useOraclesParts();
  const registered = useSyncExternalStore(actions.subscribe, actions.list, actions.list);
  const names = uiComponents === undefined ? undefined : JSON.stringify(Object.keys(uiComponents));
  return useMemo(
    () => ({
      sessionId,
      components: names === undefined ? undefined : new Set(JSON.parse(names) as string[]),
      actions: new Map(registered.map(({ name, hasRender }) => [name, hasRender])),
    }),
    [sessionId, names, registered],
  );
}

/** The state without a session. */
const IDLE_SNAPSHOT: ChatSnapshot = {
  messages: [],
  status: "ready",
  error: undefined,
  run: IDLE_RUN_STATE,
  queue: [],
  questions: [],
  signIns: [],
  isRealTimeConnected: false,
  isLoading: false,
  hasEarlier: false,
  isLoadingEarlier: false,
};

/** The state on a server, and in the page until hydration. */
const SERVER_SNAPSHOT: ChatSnapshot = { ...IDLE_SNAPSHOT, isLoading: true };
