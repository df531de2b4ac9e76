/** What an application sets for a client: where its oracle is, where things are kept, and who sees what goes over the wire. */

/** The addresses of an oracle. */
export interface Endpoints {
  /** Origin, or origin and path, of the oracle's API. */
  readonly apiUrl: string;
  /** The same of its sockets; the API's when absent. */
  readonly socketUrl?: string;
}

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

/** One thing that happened, for the devtools. */
export interface InspectedEntry {
  readonly at: number;
  readonly sessionId?: string;
  readonly kind: "request" | "frame" | "socket" | "run" | "tokens";
  readonly name: string;
  /** Without tokens and without headers. */
  readonly detail?: unknown;
}
