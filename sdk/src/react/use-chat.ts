/** A conversation with an oracle: what is shown of it, and what can be done with it. */
"use client";
import { useQueryClient, type RefetchOptions } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { ChatRunState, ChatStatus, PendingQuestion, PendingSignIn, QueuedMessage } from "../core/chat.ts";
import { holdChat, type ChatHolder } from "./chat-holders.ts";
import type { IChatOptions } from "./chat-options.ts";
import { IDLE_SNAPSHOT, SERVER_SNAPSHOT } from "./idle-snapshot.ts";
import type { Attachment, IMessage } from "./message-content.ts";
import { mapMessage } from "./message-mapping.ts";
import { refreshSessionLists } from "./session-lists.ts";
import { useChatSending } from "./use-chat-sending.ts";
import { useClientTools } from "./use-client-tools.ts";
import { useLatest } from "./use-latest.ts";
import { useMessageMapping } from "./use-message-mapping.ts";
import { useOracleClient } from "./use-oracle-client.ts";
import { useOracleEndpoints } from "./use-oracle-endpoints.ts";
import { subscribeToNothing, useSharedChat } from "./use-shared-chat.ts";

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
      // The lists say themselves that they could not be read.
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
