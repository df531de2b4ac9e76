/**
 * Calls the application. The object stays awake until an asynchronous callback has finished; what a callback throws is
 * logged and affects no socket. A socket whose stored data cannot be read is disconnected instead.
 */
import type {
  AckOutcome,
  Application,
  ConnectRequest,
  ConnectResult,
  DisconnectReason,
  SocketRecord,
} from "../application.ts";
import { parseJson, readHandshakeRequest } from "../database.ts";
import type { ServerPorts } from "../ports.ts";
import type { StoredSocket } from "./stored-socket.ts";

const FAILED = { ok: false, message: "Internal server error" } as const;

export type Callbacks<Data> = ReturnType<typeof createCallbacks<Data>>;

/** @param disconnectDamaged for a socket whose data cannot be read. */
export function createCallbacks<Data>(
  application: Application<Data>,
  { waitUntil, log }: Pick<ServerPorts, "waitUntil" | "log">,
  disconnectDamaged: (socket: StoredSocket) => void,
) {
  const parseData = application.parseData ?? ((stored: unknown) => stored as Data | undefined);

  function logThrown(name: string, thrown: unknown): void {
    const error = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
    log("error", "socketio.callback-failed", { callback: name, error });
  }

  function call(name: string, work: () => Promise<void> | void): void {
    try {
      const promise = work();
      if (promise !== undefined) waitUntil(promise.catch((thrown: unknown) => logThrown(name, thrown)));
    } catch (thrown) {
      logThrown(name, thrown);
    }
  }

  /** @returns undefined if the stored data cannot be read. */
  function parse(stored: StoredSocket): SocketRecord<Data> | undefined {
    const json = parseJson(stored.data);
    const data = json === undefined ? undefined : parseData(json);
    if (data === undefined) return undefined;
    return {
      id: stored.id,
      namespace: stored.namespace,
      sessionId: stored.sid,
      request: readHandshakeRequest(stored.request),
      data,
      connectedAt: stored.connectedAt,
    };
  }

  /** Parsed rows of sockets that send packets. A change of its row gives a socket another object. */
  const records = new WeakMap<StoredSocket, SocketRecord<Data>>();

  /** As `parse`; a socket that cannot be read is disconnected. */
  function recordOf(stored: StoredSocket): SocketRecord<Data> | undefined {
    const known = records.get(stored);
    if (known !== undefined) return known;
    const record = parse(stored);
    if (record === undefined) disconnectDamaged(stored);
    else records.set(stored, record);
    return record;
  }

  async function authenticate(connecting: ConnectRequest): Promise<ConnectResult<Data>> {
    try {
      return await application.authenticate(connecting);
    } catch (thrown) {
      logThrown("authenticate", thrown);
      return FAILED;
    }
  }

  return {
    parse,
    recordOf,

    /** Passes the result on, asynchronously. */
    authenticate: (connecting: ConnectRequest, reply: (result: ConnectResult<Data>) => void) =>
      call("connect", async () => reply(await authenticate(connecting))),

    connected(stored: StoredSocket, recovered: boolean): void {
      const socket = recordOf(stored);
      if (socket !== undefined) call("onConnect", () => application.onConnect?.(socket, recovered));
    },

    event(stored: StoredSocket, name: string, args: readonly unknown[], ackId: number | undefined): void {
      const socket = recordOf(stored);
      if (socket !== undefined) call("onEvent", () => application.onEvent?.(socket, name, args, ackId));
    },

    disconnected: (socket: SocketRecord<Data>, reason: DisconnectReason) =>
      call("onDisconnect", () => application.onDisconnect?.(socket, reason)),

    hasHandler: (name: string) => application.acknowledgements?.[name] !== undefined,

    acknowledged(name: string, socket: SocketRecord<Data>, outcome: AckOutcome, context: unknown): void {
      const handler = application.acknowledgements?.[name];
      // Stored by an earlier version of the application.
      if (handler === undefined) log("warn", "socketio.ack-handler-unknown", { handler: name });
      else call(`acknowledgements.${name}`, () => handler(socket, outcome, context));
    },
  };
}
