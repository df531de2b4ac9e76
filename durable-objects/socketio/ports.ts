/** What a Durable Object lends to a socket server. Nothing here is of the runtime, so the server runs in Node as well. */

/** A server-side WebSocket of the hibernation API. */
export type Connection = Pick<WebSocket, "send" | "close" | "serializeAttachment" | "deserializeAttachment">;

export interface ServerPorts {
  /** `ctx.storage`. Tables are called `socketio_*`; the first handshake makes them. */
  readonly storage: { readonly sql: SqlStorage; transactionSync<Value>(work: () => Value): Value };
  /** `ctx.getWebSockets()`; with sockets of other parts of the object mixed in, they must be left out here. */
  readonly connections: () => readonly Connection[];
  /**
   * Makes a pair and accepts one half for hibernation (`ctx.acceptWebSocket`).
   * @returns that half, and the 101 response that carries the other.
   */
  readonly accept: () => { readonly connection: Connection; readonly response: Response };
  /**
   * A 101 response whose websocket is closed at once. Not one for hibernation: workerd leaves the connection of such a one
   * open when the server closes it before the client has ever said anything.
   */
  readonly refuse: (code: number, reason: string) => Response;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** An unguessable id of 20 or so URL-safe characters, never the same twice. */
  readonly newId: () => string;
  /**
   * `alarm` is now wanted at this time, sooner or later than before; undefined: no longer wanted. The object has one
   * alarm: it takes the least of what its parts want. Not called from within `alarm`, which returns it.
   */
  readonly dueChanged: (at: number | undefined) => void;
  /** Keeps the object alive until the promise settles (`ctx.waitUntil`). */
  readonly background: (work: Promise<unknown>) => void;
  /** Structured log without texts of messages and without secrets. */
  readonly log: (
    level: "info" | "warn" | "error",
    event: string,
    members: Readonly<Record<string, string | number | boolean>>,
  ) => void;
}
