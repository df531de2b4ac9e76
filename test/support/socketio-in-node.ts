/**
 * A socket server in Node: real SQLite, real code, and in place of workerd's websockets objects that note what they are
 * sent. Time stands still unless it is moved, and then the alarm rings when it is due. `evict` ends the server and starts
 * another over the same storage and the same open websockets, which keep their attachments and nothing else.
 */
import type { Application } from "../../durable-objects/socketio/application.ts";
import { textOf } from "../../durable-objects/socketio/engine/packets.ts";
import type { SocketServerOptions } from "../../durable-objects/socketio/options.ts";
import type { Connection, ServerPorts } from "../../durable-objects/socketio/ports.ts";
import { createSocketServer, type SocketServer } from "../../durable-objects/socketio/server.ts";
import { createManualClock } from "./manual-clock.ts";
import { createSqliteStorage, type SqliteStorage } from "./sqlite-storage.ts";

export interface Peer {
  /** What the server has sent and the test not yet read, binary as `b` and base64. */
  readonly inbox: string[];
  readonly closed: { readonly code: number; readonly reason: string } | undefined;
  /** Empties the inbox. */
  read(): string[];
  /** Calls the listener with each frame from now on, in place of adding it to the inbox. */
  listen(listener: (frame: string) => void): void;
  /** To the server, as one websocket message. */
  send(message: string | ArrayBuffer): void;
  /** The client's connection ends without a word. */
  drop(): void;
}

/** Forwarding side of an object. */
export type Served = Pick<
  SocketServer<unknown>,
  "handleRequest" | "webSocketMessage" | "webSocketClose" | "webSocketError" | "alarm"
>;

interface NotedConnection extends Connection {
  attachment: unknown;
  readonly peer: Peer;
}

/**
 * @param start makes a server as an object's constructor does.
 * @param shared the database and the clock of the object that the server is part of; its own when there is none.
 */
export function createRig<Server extends Served>(
  start: (ports: ServerPorts) => Server,
  { database = createSqliteStorage().database, clock = createManualClock(1_800_000_000_000) } = {},
) {
  let storage: SqliteStorage = createSqliteStorage(database);
  const connections = new Set<NotedConnection>();
  const logged: string[] = [];
  const background = new Set<Promise<unknown>>();
  let accepted: NotedConnection | undefined;
  let callOffAlarm = (): void => undefined;
  let alarms = 0;
  let ids = 0;

  const ports: Omit<ServerPorts, "storage" | "dueChanged" | "background" | "log"> = {
    connections: () => [...connections],
    accept() {
      accepted = createConnection();
      connections.add(accepted);
      return { connection: accepted, response: new Response(null, { headers: { "x-upgraded": "yes" } }) };
    },
    refuse: (code) => new Response(null, { headers: { "x-refused": String(code) } }),
    now: clock.now,
    newId: () => `id-${(ids += 1)}`,
  };
  let server = startOver();

  /** The earlier life of the object, if there was one, has no effect any more, whatever it still waits for. */
  function startOver(): Server {
    storage.cutOff();
    storage = createSqliteStorage(storage.database);
    background.clear();
    const live = storage;
    return start({
      ...ports,
      storage: live,
      dueChanged(at) {
        if (storage === live) setAlarm(at);
      },
      log(_level, event) {
        if (storage === live) logged.push(event);
      },
      background(work) {
        const done = work.catch((thrown: unknown) => {
          if (storage === live) throw thrown;
        });
        background.add(done);
        void done.finally(() => background.delete(done));
      },
    });
  }

  function setAlarm(at: number | undefined): void {
    callOffAlarm();
    if (at === undefined) return;
    callOffAlarm = clock.after(Math.max(0, at - clock.now()), () => {
      alarms += 1;
      setAlarm(server.alarm());
    });
  }

  function createConnection(): NotedConnection {
    const inbox: string[] = [];
    let closed: Peer["closed"];
    let hear = (frame: string): void => void inbox.push(frame);
    const connection: NotedConnection = {
      attachment: null,
      send(frame) {
        if (closed !== undefined) throw new Error("send after close");
        hear(textOf(frame));
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
          hear = listener;
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

  /** Until every callback that answers later has answered. */
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
    /** How often the alarm has rung. */
    get alarms() {
      return alarms;
    },

    /** @returns undefined when the upgrade was refused. */
    async connect(query = "transport=websocket"): Promise<Peer> {
      const response = await request(query, { headers: { upgrade: "websocket" } });
      if (response.headers.get("x-upgraded") === null || accepted === undefined) {
        throw new Error(`no websocket: ${response.status} ${response.headers.get("x-refused") ?? ""}`);
      }
      return accepted.peer;
    },

    /** The clock goes on; the alarm rings on the way whenever it is due. */
    advance(milliseconds: number): void {
      clock.advance(milliseconds);
    },

    evict(): void {
      server = startOver();
    },

    /** The process is gone, and all websockets with it; the storage is not. */
    kill(): void {
      connections.clear();
      server = startOver();
    },

    /** Rows of all tables of the server. */
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

export function createSocketRig<Data>(
  application: (server: () => SocketServer<Data>) => Application<Data>,
  options: Partial<SocketServerOptions> = {},
) {
  return createRig((ports) => {
    const server: SocketServer<Data> = createSocketServer(
      application(() => server),
      options,
      ports,
    );
    return server;
  });
}

/** The session of an open frame, `0{"sid":…}`. */
export function sidOf(frame: string | undefined): string {
  return (JSON.parse((frame ?? "").slice(1)) as { sid: string }).sid;
}
