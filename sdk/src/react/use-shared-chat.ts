/** One session's chat, the same for all components that name it, as one component looks at it. */
"use client";
import { useMemo } from "react";
import type { Chat, ChatView } from "../core/chat.ts";
import type { IChatOptions } from "./chat-options.ts";
import { useOracleClient } from "./use-oracle-client.ts";

/** Which chat, and how often it is looked at. */
export type ChatKey = Pick<IChatOptions, "oracleDid" | "sessionId"> &
  Partial<Pick<IChatOptions, "overrides" | "historyPageSize" | "streamingMode" | "streamingThrottleMs">>;

export interface SharedChat {
  /** undefined: there is no session yet. */
  readonly chat: Chat | undefined;
  readonly view: ChatView | undefined;
}

export function useSharedChat(options: ChatKey): SharedChat {
  const { oracleDid, sessionId, overrides, historyPageSize, streamingMode, streamingThrottleMs } = options;
  const client = useOracleClient(oracleDid, overrides);
  const chat = useMemo(
    () =>
      sessionId === ""
        ? undefined
        : client.chat(sessionId, { ...(historyPageSize !== undefined && { historyPageSize }) }),
    [client, sessionId, historyPageSize],
  );
  const view = useMemo(
    () =>
      chat?.view({
        mode: streamingMode ?? "immediate",
        ...(streamingThrottleMs !== undefined && { throttleMs: streamingThrottleMs }),
      }),
    [chat, streamingMode, streamingThrottleMs],
  );
  return { chat, view };
}

export const subscribeToNothing = () => () => {};
