/**
 * One oracle for one user, without React: requests, sessions, models and chats. Nothing is asked of the oracle before the first
 * call.
 */
import type { Chat } from "./chat.ts";
import { createChats } from "./chats.ts";
import { createClientTools } from "./client-tools.ts";
import { createHttp, segment, type OracleHttp } from "./http.ts";
import { openLazySocket } from "./lazy-socket.ts";
import { createTokens, type CreateToken, type TokenCreators, type Tokens } from "./tokens.ts";
import { followRun } from "./run-stream.ts";
import type { ModelList, SessionList, SessionRecord } from "./wire.ts";

/** Where tokens are kept between two visits; `localStorage` and `sessionStorage` are such stores. */
export type TokenStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where queued messages are kept between two visits. */
export interface QueueStore {
  get(key: string): Promise<unknown>;
  /** Resolves to `false` when the value is kept for as long as the page lives only. */
  set(key: string, value: unknown): Promise<unknown>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/** The addresses of an oracle. */
export interface Endpoints {
  /** Origin, or origin and path, of the oracle's API. */
  readonly apiUrl: string;
  /** The same of its sockets; the API's when absent. */
  readonly socketUrl?: string;
}

/** Which oracle, for which user, and how they sign. */
export interface OracleClientOptions {
  readonly oracleDid: string;
  readonly userDid: string;
  /** Where the oracle is: known, or to be found out. */
  readonly endpoints: Endpoints | (() => Promise<Endpoints>);
  readonly createDelegation?: CreateToken;
  readonly createInvocation?: CreateToken;
  /** Shared with another client of the same user and oracle; made from the functions above when absent. */
  readonly tokens?: Tokens;
  /** Read at each request and sent along as `x-matrix-access-token` and `x-matrix-homeserver`. */
  readonly matrix?: { readonly accessToken: string; readonly homeServer: string };
  /** `localStorage` by default; null keeps tokens in memory only. */
  readonly tokenStore?: TokenStore | null;
  /** IndexedDB by default, memory where there is none. */
  readonly queueStore?: QueueStore;
  /** Turns on a page of the history, 20 by default. */
  readonly historyPageSize?: number;
  readonly fetch?: typeof fetch;
  /** Sees what goes over the wire, tokens left out: for the devtools. */
  readonly inspect?: (entry: InspectedEntry) => void;
}

/** One thing that happened, for the devtools. */
export interface InspectedEntry {
  readonly at: number;
  readonly sessionId?: string;
  readonly kind: "request" | "frame" | "socket" | "run" | "tokens";
  readonly name: string;
  /** Without tokens and without headers. */
  readonly detail?: unknown;
}

/** One oracle for one user. */
export interface OracleClient {
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  readonly tokens: Tokens;
  readonly sessions: {
    /** @param options `isBackground`: nobody asked for it, so that a user who declined to sign is not asked again. */
    list(options?: {
      readonly limit?: number;
      readonly offset?: number;
      readonly isBackground?: boolean;
    }): Promise<SessionList>;
    create(): Promise<SessionRecord>;
    delete(sessionId: string): Promise<void>;
  };
  models(): Promise<ModelList>;
  /** The session's chat, the same one for each caller; the options count for the one who asks first. */
  chat(sessionId: string, options?: { readonly historyPageSize?: number }): Chat;
  /** The latest functions are used from the next signature on. */
  setTokenCreators(creators: TokenCreators): void;
  /** Stops all chats: the user signed out or another one signed in. */
  dispose(): void;
}

/**
 * One oracle for one user. It asks nothing of anybody before its first call, and may be made while rendering on a server. Make one
 * for each user, and dispose of it when they sign out.
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
  const http = createHttp({ ...options, tokens });
  /** What the application asks for, a user wants: one who declined to sign is asked again. What a chat reads by itself is no act. */
  const acting: OracleHttp = {
    ...http,
    json: (path, request) => {
      tokens.askAgain();
      return http.json(path, request);
    },
    open: (path, request) => {
      tokens.askAgain();
      return http.open(path, request);
    },
  };
  const { queueStore, historyPageSize } = options;
  const chats = createChats({
    oracleDid,
    userDid,
    http,
    askAgain: tokens.askAgain,
    follow: followRun,
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
