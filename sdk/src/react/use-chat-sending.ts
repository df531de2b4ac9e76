/** What can be done with a chat, as functions that keep their identity as long as the chat does. */
"use client";
import { useMemo, useState } from "react";
import type { Chat } from "../core/chat.ts";
import { noteSender, type ChatHolder } from "./chat-holders.ts";
import type { UseChatResult } from "./use-chat.ts";
import { useLatest } from "./use-latest.ts";

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

/** @param model the one that is chosen at the moment */
export function useChatSending(chat: Chat | undefined, holder: ChatHolder, model: () => string | undefined): Sending {
  const [failure, setFailure] = useState<{ readonly chat: Chat; readonly error: Error } | null>(null);
  const chosen = useLatest(model);
  const actions = useMemo(
    (): Omit<Sending, "sendMessageError"> => ({
      async sendMessage(message, metadata, attachments) {
        if (chat === undefined) throw new Error("There is no session to send to: create one and pass its sessionId.");
        noteSender(chat, holder);
        setFailure(null);
        const model = chosen.current();
        try {
          await chat.send(message, {
            ...(metadata !== undefined && { metadata }),
            ...(attachments !== undefined && { attachments }),
            ...(model !== undefined && { model }),
          });
        } catch (cause) {
          const error = cause instanceof Error ? cause : new Error(String(cause));
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
      cancelQueued: (id) => chat?.cancelQueued(id) ?? false,
      resumeQueue: (id) => chat?.resumeQueue(id),
      async answerQuestion(id, answer) {
        await chat?.answerQuestion(id, answer);
      },
    }),
    [chat, holder, chosen],
  );
  return { ...actions, sendMessageError: failure?.chat === chat ? failure?.error : null };
}
