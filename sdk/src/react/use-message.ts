/** One message of a chat. */
"use client";
import { useCallback, useSyncExternalStore } from "react";
import type { IMessage, UIComponents } from "./message-content.ts";
import { mapMessage } from "./message-mapping.tsx";
import { useMessageMapping } from "./use-chat.ts";
import { subscribeToNothing, useSharedChat, type ChatKey } from "./oracles-context.ts";

/**
 * One message of a chat that a `useChat` above keeps going, found by its `id`. The component is drawn again only when that
 * message changes, however many others stream. undefined: there is no such message, or it is not shown.
 *
 * @param chat what `useChat` was called with, as far as it says which chat it is and how it is drawn
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
