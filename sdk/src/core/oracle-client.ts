/**
 * One oracle for one user, without React: requests, sessions, models and chats. Nothing is asked of the oracle before the first
 * call.
 */
import type { Chat } from "./chat.ts";
import type { OracleHttp } from "./http.ts";
import type { CreateToken, Tokens } from "./tokens.ts";
import type { ModelList, SessionList, SessionRecord } from "./wire.ts";

/** Where tokens are kept between two visits; `localStorage` and `sessionStorage` are such stores. */
export type TokenStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where queued messages are kept between two visits. */
export interface QueueStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

export interface Endpoints {
  /** Origin, or origin and path, of the oracle's API. */
  readonly apiUrl: string;
  /** The same of its sockets; the API's when absent. */
  readonly socketUrl?: string;
}

export interface OracleClientOptions {
  readonly oracleDid: string;
  readonly userDid: string;
  /** Where the oracle is: known, or to be found out. */
  readonly endpoints: Endpoints | (() => Promise<Endpoints>);
  readonly createDelegation?: CreateToken;
  readonly createInvocation?: CreateToken;
  /** Sent along as `x-matrix-access-token` and `x-matrix-homeserver`. */
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

export interface OracleClient {
  readonly oracleDid: string;
  readonly userDid: string;
  readonly http: OracleHttp;
  readonly tokens: Tokens;
  readonly sessions: {
    list(options?: { readonly limit?: number; readonly offset?: number }): Promise<SessionList>;
    create(): Promise<SessionRecord>;
    delete(sessionId: string): Promise<void>;
  };
  models(): Promise<ModelList>;
  /** The session's chat, the same one for each caller while somebody retains it. */
  chat(sessionId: string): Chat;
  /** The latest functions are used from the next signature on. */
  setTokenCreators(creators: Pick<OracleClientOptions, "createDelegation" | "createInvocation">): void;
  /** Stops all chats: the user signed out or another one signed in. */
  dispose(): void;
}
