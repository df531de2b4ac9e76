/** The chats of one user with one oracle: one for each session, however many ask for it. */
import type { Chat } from "./chat.ts";
import { createSessionChat, type SessionChat } from "./chat/session-chat.ts";
import { pageEnvironment, type Environment } from "./chat/environment.ts";
import { HISTORY_PAGE_SIZE } from "./chat/history-loader.ts";
import { createQueueStore } from "./chat/queue-store.ts";
import type { FollowRun } from "./chat/turn-runner.ts";
import type { ClientTools } from "./client-tools.ts";
import type { OracleHttp } from "./http.ts";
import type { InspectedEntry, QueueStore } from "./oracle-client.ts";
import type { SessionSocket, SocketHandlers } from "./socket.ts";

/** So many chats that nobody shows stay in memory, so that going back to one shows it at once. */
export const KEPT_CHATS = 8;

export interface ChatsOptions {
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  /** The user acts: one who declined to sign is asked again. */
  askAgain(): void;
  readonly follow: FollowRun;
  readonly createTools: () => ClientTools;
  readonly openSocket?: (sessionId: string, tools: ClientTools, handlers: SocketHandlers) => SessionSocket;
  readonly queueStore?: QueueStore | undefined;
  readonly historyPageSize?: number | undefined;
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
  readonly environment?: Environment;
}

export interface Chats {
  /** The page size is that of who asks first. */
  get(sessionId: string, options?: { readonly historyPageSize?: number }): Chat;
  /** Stops all for good: nothing is sent or asked any more. */
  dispose(): void;
}

export function createChats(options: ChatsOptions): Chats {
  const { oracleDid, userDid, http, follow, inspect, openSocket } = options;
  const { environment = pageEnvironment(), queueStore = createQueueStore() } = options;
  const chats = new Map<string, SessionChat>();
  const retained = new Set<SessionChat>();
  let isDisposed = false;

  function create(sessionId: string, historyPageSize: number): SessionChat {
    const tools = options.createTools();
    const chat: SessionChat = createSessionChat({
      sessionId,
      oracleDid,
      userDid,
      http,
      askAgain: () => options.askAgain(),
      follow,
      tools,
      openSocket: openSocket && ((handlers) => openSocket(sessionId, tools, handlers)),
      queueStore,
      historyPageSize,
      environment,
      inspect,
      isOver: () => isDisposed,
      onRetained(isRetained) {
        if (isRetained) retained.add(chat);
        else retained.delete(chat);
        // The one that was used last goes last.
        chats.delete(sessionId);
        chats.set(sessionId, chat);
        forget();
      },
    });
    return chat;
  }

  function forget(): void {
    const unused = [...chats].filter(([, chat]) => !retained.has(chat));
    for (const [sessionId] of unused.slice(0, Math.max(0, unused.length - KEPT_CHATS))) chats.delete(sessionId);
  }

  return {
    get(sessionId, { historyPageSize = options.historyPageSize ?? HISTORY_PAGE_SIZE } = {}) {
      const chat = chats.get(sessionId) ?? create(sessionId, historyPageSize);
      chats.set(sessionId, chat);
      return chat;
    },
    dispose() {
      isDisposed = true;
      for (const chat of new Set([...retained, ...chats.values()])) chat.dispose();
      chats.clear();
    },
  };
}
