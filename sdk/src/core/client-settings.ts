/** The settings of a client: the oracle's addresses, the stores, and the function that receives the traffic. */

/** The addresses of an oracle. */
export interface Endpoints {
  /** The origin, or origin and path, of the oracle's API. */
  readonly apiUrl: string;
  /** The origin, or origin and path, of the oracle's sockets. Default: `apiUrl`. */
  readonly socketUrl?: string;
}

/** A store for tokens between two visits, such as `localStorage` or `sessionStorage`. */
export type TokenStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** A store for queued messages between two visits. */
export interface QueueStore {
  get(key: string): Promise<unknown>;
  /** Resolves to `false` if the value is stored only until the page closes. */
  set(key: string, value: unknown): Promise<unknown>;
  delete(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/** One event for the devtools. */
export interface InspectedEntry {
  readonly at: number;
  readonly sessionId?: string;
  readonly kind: "request" | "frame" | "socket" | "run" | "tokens";
  readonly name: string;
  /** The data of the event, without tokens and headers. */
  readonly detail?: unknown;
}
