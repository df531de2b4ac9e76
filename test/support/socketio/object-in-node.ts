/**
 * A Durable Object with a socket server in Node: real SQLite, real code, and websockets that record the sent frames instead of
 * workerd's. A manual clock runs the alarm. `evict` starts another server over the storage and the open websockets, which keep only
 * their attachments.
 */
import { textOf } from "../../../socketio/engine/packets.ts";
import {
  createSocketServer,
  type Application,
  type Connection,
  type ServerPorts,
  type SocketServer,
  type SocketServerOptions,
} from "../../../socketio/index.ts";
import { createManualClock } from "../clocks/manual-clock.ts";
import { createSqliteStorage, type SqliteStorage } from "../storage/sqlite-storage.ts";
import { createEchoEngine, suiteSettings } from "./fixture/echo.ts";

export interface Peer {
  /** Frames that the server has sent and the test has not read, binary ones as `b` and base64. */
  readonly inbox: string[];
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** Empties the inbox. */
  read(): string[];
  /** Calls the listener with each frame from now on, instead of adding it to the inbox. */
  listen(listener: (frame: string) => void): void;
  /** Sends one websocket message to the server. */
  send(message: string | ArrayBuffer): void;
  /** The client's connection is lost. */
  drop(): void;
}

/** The methods of an object that forward to its server. */
export type Served = Pick<
  SocketServer<unknown>,
  "handleRequest" | "webSocketMessage" | "webSocketClose" | "webSocketError" | "alarm"
>;

interface RecordedConnection extends Connection {
  attachment: unknown;
  readonly peer: Peer;
}

/**
 * @param start creates a server as an object's constructor does.
 * @param shared database and clock of the object that the server is part of; default: new ones.
 */
export function createObject<Server extends Served>(
  start: (ports: ServerPorts) => Server,
  { database = createSqliteStorage().database, clock = createManualClock(1_800_000_000_000) } = {},
) {
  let storage: SqliteStorage = createSqliteStorage(database);
  const connections = new Set<RecordedConnection>();
  const logged: string[] = [];
  const background = new Set<Promise<unknown>>();
  let accepted: RecordedConnection | undefined;
  let cancelAlarm = (): void => undefined;
  let alarms = 0;
  let ids = 0;

  const ports: Omit<ServerPorts, "storage" | "alarmChanged" | "waitUntil" | "log"> = {
    connections: () => [...connections],
    accept() {
      accepted = createConnection();
      connections.add(accepted);
      return { connection: accepted, response: new Response(null, { headers: { "x-upgraded": "yes" } }) };
    },
    reject: (code) => new Response(null, { headers: { "x-rejected": String(code) } }),
    now: clock.now,
    newId: () => `id-${(ids += 1)}`,
  };
  let server = startOver();

  /** Disables the earlier instance of the object, if any, whatever it still waits for. */
  function startOver(): Server {
    storage.cutOff();
    storage = createSqliteStorage(storage.database);
    background.clear();
    const live = storage;
    return start({
      ...ports,
      storage: live,
      alarmChanged(at) {
        if (storage === live) setAlarm(at);
      },
      log(_level, event) {
        if (storage === live) logged.push(event);
      },
      waitUntil(work) {
        const done = work.catch((thrown: unknown) => {
          if (storage === live) throw thrown;
        });
        background.add(done);
        void done.finally(() => background.delete(done));
      },
    });
  }

  function setAlarm(at: number | undefined): void {
    cancelAlarm();
    if (at === undefined) return;
    cancelAlarm = clock.after(Math.max(0, at - clock.now()), () => {
      alarms += 1;
      setAlarm(server.alarm());
    });
  }

  function createConnection(): RecordedConnection {
    const inbox: string[] = [];
    let closed: Peer["closed"];
    let receive = (frame: string): void => void inbox.push(frame);
    const connection: RecordedConnection = {
      attachment: null,
      send(frame) {
        if (closed !== undefined) throw new Error("send after close");
        receive(textOf(frame));
      },
      close(code = 1005, reason = "") {
        closed ??= { code, reason };
        connections.delete(connection);
      },
      serializeAttachment(value) {
        connection.attachment = structuredClone(value);
      },
      deserializeAttachment: () => structuredClone(connection.attachment),
      peer: {
        inbox,
        get closed() {
          return closed;
        },
        read: () => inbox.splice(0),
        listen(listener) {
          receive = listener;
        },
        send(message) {
          if (closed === undefined) server.webSocketMessage(connection, message);
        },
        drop() {
          if (closed !== undefined) return;
          closed = { code: 1006, reason: "dropped" };
          connections.delete(connection);
          server.webSocketClose(connection);
        },
      },
    };
    return connection;
  }

  /** Waits until every asynchronous callback has finished. */
  async function settle(): Promise<void> {
    while (background.size > 0) await Promise.all(background);
  }

  function request(query: string, init?: RequestInit): Promise<Response> {
    return server.handleRequest(new Request(`https://object.test/socket.io/?EIO=4&${query}`, init));
  }

  return {
    get server() {
      return server;
    },
    logged,
    request,
    settle,
    /** How often the alarm has run. */
    get alarms() {
      return alarms;
    },

    /** Opens a websocket. Rejects with the close code if the upgrade was rejected. */
    async connect(query = "transport=websocket"): Promise<Peer> {
      const response = await request(query, { headers: { upgrade: "websocket" } });
      if (response.headers.get("x-upgraded") === null || accepted === undefined) {
        throw new Error(`no websocket: ${response.status} ${response.headers.get("x-rejected") ?? ""}`);
      }
      return accepted.peer;
    },

    /** Advances the clock; the alarm runs whenever it is due. */
    advance(milliseconds: number): void {
      clock.advance(milliseconds);
    },

    evict(): void {
      server = startOver();
    },

    /** The process has ended, and all websockets with it; the storage stays. */
    kill(): void {
      connections.clear();
      server = startOver();
    },

    /** Changes the stored rows without the server's knowledge. */
    damage: (statement: string) => void storage.sql.exec(statement),

    /** Row counts of all tables of the server. */
    rows(): Record<string, number> {
      const tables = storage.sql
        .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'socketio_*'")
        .toArray();
      return Object.fromEntries(
        tables.map(({ name }) => [
          name.replace("socketio_", ""),
          storage.sql.exec<{ count: number }>(`SELECT COUNT(*) AS count FROM ${name}`).one().count,
        ]),
      );
    },
  };
}

export function createSocketObject<Data>(
  application: (server: () => SocketServer<Data>) => Application<Data>,
  options: Partial<SocketServerOptions> = {},
) {
  return createObject((ports) => {
    const server: SocketServer<Data> = createSocketServer(
      application(() => server),
      options,
      ports,
    );
    return server;
  });
}

/** The session id of an open frame, `0{"sid":…}`. */
export function sidOf(frame: string | undefined): string {
  return (JSON.parse((frame ?? "").slice(1)) as { sid: string }).sid;
}

/** An Engine.IO server that echoes each message. */
export function createEngineObject(options: Partial<SocketServerOptions> = {}) {
  return createObject((ports) => createEchoEngine(ports, { ...suiteSettings, ...options }));
}

/** Opens a polling session. */
export async function pollingSession(object: Pick<ReturnType<typeof createEngineObject>, "request">) {
  const sid = sidOf(await (await object.request("transport=polling")).text());
  const query = `transport=polling&sid=${sid}`;
  return {
    sid,
    poll: (init?: RequestInit) => object.request(query, init),
    post: (body: string, headers?: HeadersInit) =>
      object.request(query, { method: "POST", body, ...(headers && { headers }) }),
  };
}
