/** What can be done with a chat, as functions that keep their identity as long as the chat does. */
"use client";
import { useMemo, useState } from "react";
import type { Chat } from "../core/chat.ts";
import { errorOf } from "../core/errors.ts";
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

/**
 * @param model the one that is chosen at the moment
 * @param fault of the page's tools: nothing is sent without a tool that the application believes to be there
 */
export function useChatSending(
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
