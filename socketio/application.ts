/**
 * The interface between an application and a socket server. No callback is a closure that waits: every awaited event has a name and
 * is stored, so that it still works after an eviction in between.
 */

/** The request that opened the Engine.IO session. It is stored with the session. */
export interface HandshakeRequest {
  /** Whole URL of the first request, query included. */
  readonly url: string;
  /** Lower-case names; only `origin`, `user-agent`, `x-request-id` and `accept-language`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  readonly openedAt: number;
}

/** A connected client in one namespace, at the moment of the call. */
export interface SocketRecord<Data> {
  /** Public id: the client's `socket.id`; also the name of a room that contains only this socket. */
  readonly id: string;
  readonly namespace: string;
  /** Engine.IO session that carries it. Secret: with it anyone can send as the client. */
  readonly sessionId: string;
  readonly request: HandshakeRequest;
  /** The data from `authenticate`, or from the last `setData`. Plain JSON of at most a few KiB. */
  readonly data: Data;
  /** Unix milliseconds of its CONNECT; a recovered socket keeps the first. */
  readonly connectedAt: number;
}

/** A socket that is connected, or disconnected and still recoverable. */
export interface SocketPresence {
  /** When it was disconnected, Unix milliseconds; undefined: it is connected. */
  readonly lostAt: number | undefined;
}

export interface ConnectRequest {
  readonly request: HandshakeRequest;
  readonly namespace: string;
  /** Payload of CONNECT, `{}` if it had none, without the `pid` and `offset` of a recovery. Untrusted. */
  readonly auth: Readonly<Record<string, unknown>>;
}

export type ConnectResult<Data> =
  | {
      readonly ok: true;
      readonly data: Data;
      /** Rooms to join at once; every socket is also in the room named by its id. */
      readonly rooms?: readonly string[];
      /** The user behind the socket: a socket is recovered for the same identity only. */
      readonly identity?: string;
      /** The new data of a recovered socket; by default it keeps its data. */
      readonly recoverData?: (kept: Data) => Data;
    }
  | {
      readonly ok: false;
      /** Sent in CONNECT_ERROR. */
      readonly message: string;
      /** Sent in CONNECT_ERROR as `data`. */
      readonly data?: unknown;
      /** Closes the session after CONNECT_ERROR with this websocket code; a polling client gets a close packet. */
      readonly closeCode?: number;
    };

/** Socket.IO's disconnect reasons. */
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

/** The sockets of a namespace that are in any of `rooms` and in none of `except`. */
export interface Target {
  /** Default `/`. */
  readonly namespace?: string;
  /** Room names or socket ids. Default: all sockets of the namespace. */
  readonly rooms?: readonly string[];
  readonly except?: readonly string[];
}

export interface EmitOptions {
  /** The event may be dropped for a client that cannot take it at once, and is never recovered. */
  readonly volatile?: boolean;
  /** `false`: the event is not stored for recovery and has no offset as its last argument. */
  readonly recover?: boolean;
}

export interface AwaitedAck {
  /** Key in the application's `acknowledgements`. */
  readonly handler: string;
  /** Plain JSON for the handler; stored. */
  readonly context?: unknown;
  readonly timeoutMs: number;
}

/**
 * Callbacks may be asynchronous; the object stays awake until they have finished. Their errors are logged and affect no socket.
 * Events of one socket arrive in order, but an asynchronous `onEvent` does not delay the next event.
 */
export interface Application<Data> {
  /** Called for each CONNECT to an existing namespace, recoveries included. */
  authenticate(connecting: ConnectRequest): Promise<ConnectResult<Data>> | ConnectResult<Data>;
  /**
   * Checks the stored `data` of a socket; undefined, or a row that is not JSON, disconnects the socket. Without it every
   * JSON value is accepted.
   */
  parseData?(stored: unknown): Data | undefined;
  /** Called after the client has received the reply. `recovered`: it has its id, rooms and data again, and the events that it missed. */
  onConnect?(socket: SocketRecord<Data>, recovered: boolean): Promise<void> | void;
  /**
   * @param args JSON values; binary as `ArrayBuffer`. Untrusted.
   * @param ackId present when the client awaits an acknowledgement: pass it to `acknowledge`, now or after an eviction.
   */
  onEvent?(
    socket: SocketRecord<Data>,
    name: string,
    args: readonly unknown[],
    ackId: number | undefined,
  ): Promise<void> | void;
  /** Once per connect. A socket that is recovered later gets `onConnect(…, true)` again. */
  onDisconnect?(socket: SocketRecord<Data>, reason: DisconnectReason): Promise<void> | void;
  /** Handlers of `emitWithAck` by name. Each emit calls its handler once: with the client's arguments, or a reason. */
  readonly acknowledgements?: Readonly<
    Record<string, (socket: SocketRecord<Data>, outcome: AckOutcome, context: unknown) => Promise<void> | void>
  >;
}
