/** A conversation with an oracle: what is shown of it, and what can be done with it. */
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

/** What `useChat` returns. */
export interface UseChatResult {
  /** Oldest first. A message that did not change keeps its identity. */
  messages: IMessage[];
  /** The newest page of the history is being read for the first time. */
  isLoading: boolean;
  /** Of the turn, of sending, of reading the history, or of a tool or action that cannot be offered. */
  error: Error | null;
  /** A turn is under way. */
  isSending: boolean;
  /**
   * Sends a message; while a turn is under way or the oracle cannot be reached it waits in `queue`. Resolves when its turn has
   * ended, was stopped or needs a payment; rejects when the oracle refuses it, and without a session.
   */
  sendMessage: (message: string, metadata?: Record<string, unknown>, attachments?: Attachment[]) => Promise<void>;
  /** Stops the turn on the server, also one that began before a reload or in another tab. Never throws. */
  abortStream: () => Promise<void>;
  /** Reads the newest messages again, whatever the options say; a read that fails is in `error`. */
  refetchMessages: (options?: RefetchOptions) => Promise<void>;
  /** Why the last message of this component was refused. */
  sendMessageError: Error | null | undefined;
  /** The socket is connected: browser tools, actions and news of other tabs arrive. */
  isRealTimeConnected: boolean;
  status: ChatStatus | undefined;
  /** The run behind the current or the last turn. */
  run: ChatRunState;
  /** It is known where the oracle is. */
  isConfigReady: boolean;
  /** There are older messages than those that are shown. */
  hasEarlier: boolean;
  /** Reads the page of messages before the oldest one shown. */
  loadEarlier: () => Promise<void>;
  isLoadingEarlier: boolean;
  /** What waits to be sent, oldest first; kept over a reload. */
  queue: readonly QueuedMessage[];
  /** Takes a message out of the queue; false when it is not there any more. */
  cancelQueued: (id: string) => boolean;
  /** Sends what is paused; with an id that message first, also when it failed. */
  resumeQueue: (id?: string) => void;
  /** What the oracle waits for the user to answer: tools to approve, forms to fill in. */
  questions: readonly PendingQuestion[];
  /** Answers a question by its `id`: `{ approved: true }`, or the values of the form. */
  answerQuestion: (id: string, answer: { approved: boolean } | Record<string, unknown>) => Promise<void>;
  /** Sign-ins at other services that tools wait for. */
  signIns: readonly PendingSignIn[];
}

/**
 * A conversation with an oracle. All components that name the same session share one chat: one stream, one socket, one queue.
 * Callbacks and tools may be written inline; the newest are always used.
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
      // A list that cannot be read has an error of its own.
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
 * What can be done with a chat, as functions that keep their identity as long as the chat does.
 *
 * @param model the one that is chosen at the moment
 * @param fault of the page's tools: nothing is sent without a tool that the application believes to be there
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

/** A component that holds a chat: the chat lives as long as one of them does, and calls back the one that sent. */
interface ChatHolder {
  onPaymentRequired(claimIds: string[]): void;
  onInvalidated(): void;
}

interface Holders {
  readonly all: Set<ChatHolder>;
  /** The component that sent last: it is notified of a payment that is due. All are notified when the sender is not known. */
  sender: ChatHolder | undefined;
}

const holdersOf = new WeakMap<Chat, Holders>();

/**
 * Keeps the chat alive until the returned function is called. A component that React mounts again in the same moment (StrictMode)
 * finds its stream and its socket as they were.
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
      // One for all: they read the same lists.
      const [holder] = holders.all;
      holder?.onInvalidated();
    },
  });
  return holders;
}

/** How messages are drawn here. It keeps its identity while the same names are there, whichever functions stand for them. */
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

/** Without a session. */
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

/** On a server, and in the page until it has taken over from the server. */
const SERVER_SNAPSHOT: ChatSnapshot = { ...IDLE_SNAPSHOT, isLoading: true };
