/**
 * What can be set on a socket server, with the defaults of Socket.IO where it has one. Every time is in milliseconds,
 * every size in bytes of the encoded packet.
 */
export type TransportName = "polling" | "websocket";

export interface PacketRate {
  /** Packets at once, after as long a silence as it takes. */
  readonly burst: number;
  /** Packets a second in the long run. */
  readonly perSecond: number;
}

export interface EngineOptions {
  /** Offered transports; the upgrade from polling to websocket is offered when both are. */
  readonly transports: readonly TransportName[];
  /** Silence after which a client is pinged. Each ping wakes the object, so a hibernating one wants minutes. */
  readonly pingIntervalMs: number;
  /** How long a pinged client may keep silent before its session is closed. */
  readonly pingTimeoutMs: number;
  /**
   * A client whose ping is due within this time is pinged along with one that is due now, so that a crowd shares a few
   * wake-ups per interval. 0: each at its own time.
   */
  readonly pingTogetherMs: number;
  /** How long the second transport may take to finish an upgrade. */
  readonly upgradeTimeoutMs: number;
  /** Largest message that is taken: a websocket frame, a polling body, all parts of one binary event together. */
  readonly maxPayload: number;
  /** Sessions of the object. One more takes the place of the longest that is in no namespace; without such a one it gets 503. */
  readonly maxSessions: number;
  /**
   * What one client may have waiting: the polling buffer, or what was sent on a websocket and not yet confirmed by a pong.
   * A client that is further behind for longer than a moment is closed (engine/back-pressure.ts).
   */
  readonly maxBufferedBytes: number;
  /** What one client may send; one packet more closes its session with 4429. Undefined: as many as it likes. */
  readonly packetRate: PacketRate | undefined;
  /** Origins that a browser may call from: any, or those that the function accepts. */
  readonly allowOrigin: "*" | ((origin: string) => boolean);
  /** More members for the body of a refused request, beside `code` and `message`. */
  readonly errorMembers: (status: number, message: string, request: Request) => Readonly<Record<string, unknown>>;
}

export interface RecoveryOptions {
  /** How long a lost socket may come back to its id, rooms, data and missed events. */
  readonly windowMs: number;
  /** Events kept for all namespaces together. A socket that would need a dropped one starts anew, as not recovered. */
  readonly maxEvents: number;
  readonly maxBytes: number;
}

export interface SocketServerOptions extends EngineOptions {
  /** Namespaces that exist. */
  readonly namespaces: readonly string[];
  /** How long a session may stay without any namespace, from its opening or from leaving the last one. */
  readonly connectTimeoutMs: number;
  /** A session is closed at once when it leaves its last namespace. */
  readonly closeEmptySessions: boolean;
  /** Connected sockets of one namespace; one more is refused with CONNECT_ERROR `Too many connections`. */
  readonly maxSockets: number;
  /** Sockets of one room; a socket admitted to a full room is refused, a later `join` answers false. */
  readonly maxSocketsPerRoom: number;
  /** Whether binary events and acknowledgements are taken; otherwise a binary packet closes the session with 4400. */
  readonly binary: boolean;
  /** Undefined: no recovery, and CONNECT is answered without a `pid`. */
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
