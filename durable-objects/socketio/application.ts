/**
 * What an application says to a socket server, and what it learns from it: who is admitted, what to do with events,
 * acknowledgements and goodbyes. No callback is a closure of a wait: whatever is awaited is named and kept in storage,
 * so that it is found again after the object was evicted in between.
 */

/** The request that opened the session. Kept with the session, so it holds what an application needs and no more. */
export interface OpeningRequest {
  /** Whole URL of the first request, query included. */
  readonly url: string;
  /** Lower-case names; only those of `origin`, `user-agent`, `x-request-id`, `accept-language`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  readonly openedAt: number;
}

/** A connected client in one namespace, as it was when asked for. */
export interface SocketRecord<Data> {
  /** Public id: what the client reads as `socket.id`; also the name of a room of its own. */
  readonly id: string;
  readonly namespace: string;
  /** Engine.IO session that carries it. Secret: whoever knows it can speak for the client. */
  readonly sessionId: string;
  readonly request: OpeningRequest;
  /** What `authenticate` gave, or `setData` since. Plain JSON of at most a few KiB. */
  readonly data: Data;
  /** Unix milliseconds of its CONNECT; a recovered socket keeps the first. */
  readonly connectedAt: number;
}

export interface Connecting {
  readonly request: OpeningRequest;
  readonly namespace: string;
  /** Payload of CONNECT; `{}` when there was none. Untrusted. `pid` and `offset` of a recovery are taken out. */
  readonly auth: Readonly<Record<string, unknown>>;
}

export type Admission<Data> =
  | {
      readonly ok: true;
      readonly data: Data;
      /** Rooms joined from the beginning, beside its own. */
      readonly rooms?: readonly string[];
      /** Whom the socket speaks for: a lost socket is given back only to the same identity. */
      readonly identity?: string;
      /** A recovered socket gets `data` too, in place of what it had; otherwise it keeps its own. */
      readonly replacesData?: boolean;
    }
  | {
      readonly ok: false;
      /** Sent in CONNECT_ERROR. */
      readonly message: string;
      /** Sent beside the message, as `data`. */
      readonly data?: unknown;
      /** Closes the whole session after CONNECT_ERROR with this websocket code (a polling client gets a close packet). */
      readonly closeCode?: number;
    };

/** Socket.IO's own words. */
export type DisconnectReason =
  | "client namespace disconnect"
  | "server namespace disconnect"
  | "transport close"
  | "transport error"
  | "ping timeout"
  | "parse error"
  | "forced close"
  | "forced server close";

export type AckOutcome =
  | { readonly ok: true; readonly args: readonly unknown[] }
  | { readonly ok: false; readonly reason: "timeout" | "disconnected" };

/**
 * Callbacks may answer later; the object stays awake until they have. What they throw is logged and harms no socket.
 * Events of one socket arrive in order, but an asynchronous `onEvent` does not hold up the next one.
 */
export interface Application<Data> {
  /** Asked at each CONNECT to an existing namespace, recoveries included. */
  authenticate(connecting: Connecting): Promise<Admission<Data>> | Admission<Data>;
  /** The client has been told. `recovered`: it is back with its id, rooms and data, and got what it missed. */
  onConnect?(socket: SocketRecord<Data>, recovered: boolean): Promise<void> | void;
  /**
   * @param args JSON values; binary as `ArrayBuffer`. Untrusted.
   * @param ackId present when the client awaits an acknowledgement: hand it to `acknowledge`, now or after an eviction.
   */
  onEvent?(
    socket: SocketRecord<Data>,
    name: string,
    args: readonly unknown[],
    ackId: number | undefined,
  ): Promise<void> | void;
  /** Called once per connect. With recovery the socket may come back: then `onConnect(…, true)` follows. */
  onDisconnect?(socket: SocketRecord<Data>, reason: DisconnectReason): Promise<void> | void;
  /**
   * Where acknowledgements of `emitWithAck` go, by the name given there. Called exactly once per emit: with the client's
   * arguments, or with why there are none.
   */
  readonly acknowledgements?: Readonly<
    Record<string, (socket: SocketRecord<Data>, outcome: AckOutcome, context: unknown) => Promise<void> | void>
  >;
}
