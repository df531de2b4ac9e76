/** Checks that assignability cannot make: no member of the hooks is missing, and no member that clients must not have is present. */
import type { InfiniteData, QueryObserverResult, RefetchOptions } from "@tanstack/react-query";
import type * as sdk from "@twinedge/sdk";
import type { IChatSession, IMessage, UseChatResult, UseOracleSessionsResult } from "@twinedge/sdk";

type Same<One, Other> = [One] extends [Other]
  ? [Other] extends [One]
    ? true
    : [Other, "is not", One]
  : [One, "is not", Other];

/** The names of the values that the entry exports. */
type Values = {
  [Name in keyof typeof sdk]: Name;
}[keyof typeof sdk];

type Statements = [
  Same<
    keyof UseChatResult,
    | "messages"
    | "isLoading"
    | "error"
    | "isSending"
    | "sendMessage"
    | "abortStream"
    | "refetchMessages"
    | "sendMessageError"
    | "isRealTimeConnected"
    | "status"
    | "run"
    | "isConfigReady"
    | "hasEarlier"
    | "loadEarlier"
    | "isLoadingEarlier"
    // Beyond 1.4.0.
    | "queue"
    | "cancelQueued"
    | "resumeQueue"
    | "questions"
    | "answerQuestion"
    | "signIns"
  >,
  Same<
    keyof UseOracleSessionsResult,
    | "sessions"
    | "total"
    | "isLoading"
    | "error"
    | "fetchNextPage"
    | "hasNextPage"
    | "isFetchingNextPage"
    | "createSession"
    | "isCreatingSession"
    | "isCreateSessionError"
    | "deleteSession"
    | "isDeletingSession"
    | "isDeleteSessionError"
    | "refetch"
    | "isConfigReady"
  >,
  Same<UseChatResult["messages"], IMessage[]>,
  Same<UseChatResult["error"], Error | null>,
  Same<UseChatResult["isSending"], boolean>,
  Same<UseChatResult["status"], "submitted" | "streaming" | "ready" | "error" | undefined>,
  Same<IMessage["type"], "ai" | "human">,
  Same<UseOracleSessionsResult["sessions"], IChatSession[]>,
  Same<UseOracleSessionsResult["total"], number>,
  Same<UseOracleSessionsResult["hasNextPage"], boolean>,
  Same<
    UseOracleSessionsResult["refetch"],
    (
      options?: RefetchOptions,
    ) => Promise<QueryObserverResult<InfiniteData<{ sessions: IChatSession[]; total?: number }, number>>>
  >,
  Same<Extract<Values, "isStreaming" | "events" | "registerBrowserTools">, never>,
];

export const statements: Statements = [true, true, true, true, true, true, true, true, true, true, true, true];
