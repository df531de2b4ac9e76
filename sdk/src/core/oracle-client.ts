/**
 * A client for one oracle and one user, without React: requests, sessions, models and chats. It sends no request before
 * the first call.
 */
import type { Chat } from "./chat.ts";
import { createQueueStore } from "./chat/queue-store.ts";
import { openLazySocket } from "./chat/room-events.ts";
import { createSessionChat, type SessionChat } from "./chat/session-chat.ts";
import { HISTORY_PAGE_SIZE } from "./chat/transcript.ts";
import type { Endpoints, InspectedEntry, QueueStore, TokenStore } from "./client-settings.ts";
import { createClientTools, type ClientTools } from "./client-tools.ts";
import { pageEnvironment, type Environment } from "./environment.ts";
import { asActs, createHttp, segment, type OracleHttp } from "./http.ts";
import type { SessionSocket, SocketHandlers } from "./socket.ts";
import { createTokens, type CreateToken, type TokenCreators, type Tokens } from "./tokens.ts";
import type { ModelList, SessionList, SessionRecord } from "./wire.ts";

/** The oracle, the user, and the functions that sign for the user. */
export interface OracleClientOptions {
  readonly oracleDid: string;
  readonly userDid: string;
  /** The addresses of the oracle, or a function that finds them. */
  readonly endpoints: Endpoints | (() => Promise<Endpoints>);
  readonly createDelegation?: CreateToken;
  readonly createInvocation?: CreateToken;
  /** Tokens shared with another client of the same user and oracle. Default: new ones from the functions above. */
  readonly tokens?: Tokens;
  /** Read at each request and sent as `x-matrix-access-token` and `x-matrix-homeserver`. */
  readonly matrix?: { readonly accessToken: string; readonly homeServer: string };
  /** Default: `localStorage`. Null keeps tokens only in memory. */
  readonly tokenStore?: TokenStore | null;
  /** Default: IndexedDB, or memory if the browser has none. */
  readonly queueStore?: QueueStore;
  /** Turns per page of the history, 20 by default. */
  readonly historyPageSize?: number;
  readonly fetch?: typeof fetch;
  /** Receives the traffic without tokens, for the devtools. */
  readonly inspect?: (entry: InspectedEntry) => void;
}

/** A client for one oracle and one user. */
export interface OracleClient {
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  readonly tokens: Tokens;
  readonly sessions: {
    /** @param options `isBackground`: not a user action, so a user who declined to sign is not asked again. */
    list(options?: {
      readonly limit?: number;
      readonly offset?: number;
      readonly isBackground?: boolean;
    }): Promise<SessionList>;
    create(): Promise<SessionRecord>;
    delete(sessionId: string): Promise<void>;
  };
  models(): Promise<ModelList>;
  /** The chat of the session. All callers get the same chat, with the options of the first caller. */
  chat(sessionId: string, options?: { readonly historyPageSize?: number }): Chat;
  /** The client uses the latest functions from the next signature on. */
  setTokenCreators(creators: TokenCreators): void;
  /** Stops all chats, because the user signed out or another user signed in. */
  dispose(): void;
}

/**
 * Creates a client for one oracle and one user. It sends no request before its first call, so you can create it while
 * rendering on a server. Create one client per user, and dispose of it when the user signs out.
 *
 * @example
 * const apiUrl = "http://localhost:3000";
 * const signer = await createSigner();
 * const client = createOracleClient({
 *   oracleDid: await readOracleDid(apiUrl),
 *   userDid: signer.did,
 *   endpoints: { apiUrl },
 *   ...signer,
 * });
 * const { sessionId } = await client.sessions.create();
 * const chat = client.chat(sessionId);
 */
export function createOracleClient(options: OracleClientOptions): OracleClient {
  const { oracleDid, userDid, inspect } = options;
  let creators: TokenCreators = options;
  const tokens =
    options.tokens ??
    createTokens({
      oracleDid,
      userDid,
      creators: () => creators,
      store: options.tokenStore,
      onSigned: (kind) => inspect?.({ at: Date.now(), kind: "tokens", name: `signed ${kind}` }),
    });
  const http = createHttp({
    endpoints: options.endpoints,
    tokens,
    matrix: options.matrix,
    fetch: options.fetch,
    inspect,
  });
  /** Requests of the application are user actions. */
  const acting = asActs(http, tokens);
  const { queueStore, historyPageSize } = options;
  const chats = createChats({
    oracleDid,
    userDid,
    http,
    askAgain: tokens.askAgain,
    createTools: createClientTools,
    openSocket: (sessionId, tools, handlers) =>
      openLazySocket({ sessionId, userDid, socketUrl: http.socketUrl, tokens, tools, handlers, inspect }),
    queueStore,
    historyPageSize,
    inspect,
  });
  return {
    oracleDid,
    userDid,
    http: acting,
    tokens,
    sessions: {
      list({ limit, offset, isBackground = false } = {}) {
        const page = Object.entries({ limit, offset }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}=${value}`],
        );
        return (isBackground ? http : acting).json(`/sessions${page.length === 0 ? "" : `?${page.join("&")}`}`);
      },
      create: () => acting.json("/sessions", { method: "POST" }),
      async delete(sessionId) {
        await acting.json(`/sessions/${segment(sessionId)}`, { method: "DELETE" });
      },
    },
    models: () => http.json("/models", { signed: false }),
    chat: chats.get,
    setTokenCreators(latest) {
      creators = latest;
      tokens.askAgain();
    },
    dispose: chats.dispose,
  };
}

/** Number of unused chats that stay in memory, so that the user can return to one without loading it again. */
export const KEPT_CHATS = 8;

interface ChatsOptions {
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  /** Reports a user action: a user who declined to sign is asked again. */
  askAgain(): void;
  readonly createTools: () => ClientTools;
  readonly openSocket?: (sessionId: string, tools: ClientTools, handlers: SocketHandlers) => SessionSocket;
  readonly queueStore?: QueueStore | undefined;
  readonly historyPageSize?: number | undefined;
  readonly inspect?: ((entry: InspectedEntry) => void) | undefined;
  readonly environment?: Environment;
}

interface Chats {
  /** The first caller sets the page size. */
  get(sessionId: string, options?: { readonly historyPageSize?: number }): Chat;
  /** Stops all chats permanently. No more requests are sent. */
  dispose(): void;
}

/** The chats of one user with one oracle, one per session. */
export function createChats(options: ChatsOptions): Chats {
  const { oracleDid, userDid, http, inspect, openSocket } = options;
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
        // Keeps the most recently used chat at the end.
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
