/**
 * A socket server's dependencies on its Durable Object. `ServerPorts` does not mention the runtime, so the server also runs in
 * Node; `objectPorts` creates them from the state of an object.
 */

/** A server-side WebSocket of the hibernation API. */
export type Connection = Pick<WebSocket, "send" | "close" | "serializeAttachment" | "deserializeAttachment">;

export interface ServerPorts {
  /** `ctx.storage`. Tables are called `socketio_*`; the first handshake creates them. */
  readonly storage: { readonly sql: SqlStorage; transactionSync<Value>(work: () => Value): Value };
  /** The open websockets that `accept` has created, without those of other code in the object. */
  readonly connections: () => readonly Connection[];
  /**
   * Creates a pair and accepts one half for hibernation (`ctx.acceptWebSocket`).
   * @returns that half, and the 101 response with the other.
   */
  readonly accept: () => { readonly connection: Connection; readonly response: Response };
  /**
   * A 101 response whose websocket is closed at once. It must not be a hibernating one: workerd leaves such a connection
   * open if the server closes it before the client has sent anything.
   */
  readonly reject: (code: number, reason: string) => Response;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** A new unguessable id of about 20 URL-safe characters. */
  readonly newId: () => string;
  /**
   * The time at which `alarm` must be called has changed, to sooner or later; undefined: no longer needed. Not called
   * during `alarm`, which returns the time.
   */
  readonly alarmChanged: (at: number | undefined) => void;
  /** Keeps the object awake until the promise is settled. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Structured log, without message texts and secrets. */
  readonly log: (
    level: "info" | "warn" | "error",
    event: string,
    members: Readonly<Record<string, string | number | boolean>>,
  ) => void;
}

/** Distinguishes the server's websockets from others of the object. */
const TAG = "socketio";
/** Random bytes of an id; they make 20 characters, as in Socket.IO. */
const ID_BYTES = 15;

/** @param ports `log`, and replacements for the defaults, such as `alarmChanged` of an object with other alarms. */
export function objectPorts(
  ctx: DurableObjectState,
  ports: Pick<ServerPorts, "log"> & Partial<ServerPorts>,
): ServerPorts {
  return {
    storage: ctx.storage,
    connections: () => ctx.getWebSockets(TAG),
    accept() {
      const { 0: client, 1: server } = new WebSocketPair();
      ctx.acceptWebSocket(server, [TAG]);
      return { connection: server, response: new Response(null, { status: 101, webSocket: client }) };
    },
    reject(code, reason) {
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      server.close(code, reason);
      return new Response(null, { status: 101, webSocket: client });
    },
    now: Date.now,
    newId() {
      const text = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(ID_BYTES))));
      return text.replaceAll("+", "-").replaceAll("/", "_");
    },
    alarmChanged: (at) => ctx.waitUntil(at === undefined ? ctx.storage.deleteAlarm() : ctx.storage.setAlarm(at)),
    waitUntil: (work) => ctx.waitUntil(work),
    ...ports,
  };
}
