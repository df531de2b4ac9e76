/** One message of a chat. */
"use client";
import { useCallback, useSyncExternalStore } from "react";
import type { IMessage, UIComponents } from "./message-content.ts";
import { mapMessage } from "./message-mapping.tsx";
import { useMessageMapping } from "./use-chat.ts";
import { subscribeToNothing, useSharedChat, type ChatKey } from "./oracles-context.ts";

/**
 * One message of a chat, found by its `id`. A `useChat` in a component above must keep the chat running. The component
 * renders again only when this message changes, even while other messages stream. Undefined if there is no such
 * message, or if it is not shown.
 *
 * @param chat the options of `useChat` that identify the chat and its rendering
 *
 * @example
 * const Message = memo(function Message({ id }: { id: string }) {
 *   const message = useMessage(id, { oracleDid, sessionId });
 *   return <p>{message && renderMessageContent(message.content)}</p>;
 * });
 */
export function useMessage(id: string, chat: ChatKey & { uiComponents?: UIComponents }): IMessage | undefined {
  const { view } = useSharedChat(chat);
  const mapping = useMessageMapping(chat.sessionId, chat.uiComponents);
  const subscribe = useCallback(
    (listener: () => void) => view?.subscribeToMessage(id, listener) ?? subscribeToNothing(),
    [view, id],
  );
  const message = useSyncExternalStore(
    subscribe,
    () => view?.getMessage(id),
    () => undefined,
  );
  return message && mapMessage(message, mapping);
}
