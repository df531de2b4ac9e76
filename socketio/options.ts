/**
 * Options of a socket server, with Socket.IO's defaults where it has the option. Times are in milliseconds, sizes in bytes
 * of the encoded packet.
 */
export type TransportName = "polling" | "websocket";

export interface PacketRate {
  /** Packets that a client may send at once. */
  readonly burst: number;
  /** Packets a second in the long run. */
  readonly perSecond: number;
}

export interface EngineOptions {
  /** Offered transports; with both, the upgrade from polling to websocket is offered too. */
  readonly transports: readonly TransportName[];
  /** Time without a packet after which a client is pinged. Each ping wakes the object, so use minutes with hibernation. */
  readonly pingIntervalMs: number;
  /** How long a client may take to answer a ping before its session is closed. */
  readonly pingTimeoutMs: number;
  /**
   * A client whose ping is due within this time is pinged together with one whose ping is due now, so that many clients
   * share a few wake-ups per interval. 0: each at its own time.
   */
  readonly pingTogetherMs: number;
  /** How long an upgrade to websocket may take. */
  readonly upgradeTimeoutMs: number;
  /** Largest accepted message: a websocket frame, a polling body, all parts of a binary event together. */
  readonly maxPayload: number;
  /** Sessions of the object. One more replaces the oldest that is in no namespace; if there is none, it gets a 503. */
  readonly maxSessions: number;
  /**
   * The maximum amount of data that may wait for one client: its polling buffer, or data on its websocket that no pong has
   * confirmed. A client that stays above it is closed (engine/limits.ts).
   */
  readonly maxBufferedBytes: number;
  /** How much one client may send; one more packet closes its session with 4429. Undefined: no limit. */
  readonly packetRate: PacketRate | undefined;
  /** Origins that browsers may call from: all, or those for which the function returns true. */
  readonly allowOrigin: "*" | ((origin: string) => boolean);
  /** More members for the body of an error response, next to `code` and `message`. */
  readonly errorMembers: (status: number, message: string, request: Request) => Readonly<Record<string, unknown>>;
}

export interface RecoveryOptions {
  /** How long a lost socket can be recovered, with its id, rooms, data and missed events. */
  readonly windowMs: number;
  /** Events stored for all namespaces together. A socket that needs a dropped one is not recovered. */
  readonly maxEvents: number;
  readonly maxBytes: number;
}

export interface SocketServerOptions extends EngineOptions {
  /** Namespaces that exist. */
  readonly namespaces: readonly string[];
  /** How long a session may be in no namespace, after it opened or left the last one. */
  readonly connectTimeoutMs: number;
  /** Close a session at once when it leaves its last namespace. */
  readonly closeEmptySessions: boolean;
  /** Connected sockets of one namespace; one more gets CONNECT_ERROR `Too many connections`. */
  readonly maxSockets: number;
  /** Sockets of one room; a CONNECT into a full room gets CONNECT_ERROR, a later `join` returns false. */
  readonly maxSocketsPerRoom: number;
  /** Accept binary events and acknowledgements; otherwise a binary packet closes the session with 4400. */
  readonly binary: boolean;
  /** Undefined: no recovery, and the reply to CONNECT has no `pid`. */
  readonly recovery: RecoveryOptions | undefined;
}

export const socketServerDefaults: SocketServerOptions = {
  transports: ["polling", "websocket"],
  pingIntervalMs: 25_000,
  pingTimeoutMs: 20_000,
  pingTogetherMs: 5_000,
  upgradeTimeoutMs: 10_000,
  maxPayload: 1_000_000,
  maxSessions: 10_000,
  maxBufferedBytes: 4_000_000,
  packetRate: undefined,
  allowOrigin: "*",
  errorMembers: () => ({}),
  namespaces: ["/"],
  connectTimeoutMs: 45_000,
  closeEmptySessions: false,
  maxSockets: 10_000,
  maxSocketsPerRoom: 10_000,
  binary: true,
  recovery: { windowMs: 120_000, maxEvents: 10_000, maxBytes: 4_000_000 },
};
