/**
 * Rooms for the socket measures, each an object with hibernating websockets: one with only the project's Socket.IO server, and bare
 * ones that send equal bytes without a protocol.
 */
import { DurableObject } from "cloudflare:workers";
import { createSocketServer, objectPorts, type SocketServer, type SocketServerOptions } from "../../socketio/index.ts";
import { CONNECT_TIMEOUT_MS, EMIT, fastHeartbeat, heartbeat, message, PING, pong } from "./room-events.ts";

export interface RoomsEnv {
  readonly SERVED: DurableObjectNamespace;
  readonly FAST: DurableObjectNamespace;
  readonly BARE_ROOM: DurableObjectNamespace;
}

/** How often all rooms together were constructed, and how many alarms they had. The Worker reads it without waking a room. */
export const wakeUps = { lives: 0, alarms: 0 };

function defineRoom(options: Partial<SocketServerOptions>) {
  return class extends DurableObject {
    readonly #server: SocketServer<null> = createSocketServer<null>(
      {
        authenticate: () => ({ ok: true, data: null }),
        onEvent: ({ id }, name, [recover]) => {
          if (name === EMIT) this.#server.emit({}, "message", [message], { recover: recover === true });
          if (name === PING) this.#server.emit({ rooms: [id] }, "pong", [pong(id)], { recover: false });
        },
      },
      { ...options, connectTimeoutMs: CONNECT_TIMEOUT_MS },
      objectPorts(this.ctx, { log: () => undefined }),
    );

    constructor(context: DurableObjectState, env: Env) {
      super(context, env);
      wakeUps.lives += 1;
    }

    override fetch(request: Request): Promise<Response> {
      return this.#server.handleRequest(request);
    }
    override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
      this.#server.webSocketMessage(socket, text);
    }
    override webSocketClose(socket: WebSocket): void {
      this.#server.webSocketClose(socket);
    }
    override webSocketError(socket: WebSocket): void {
      this.#server.webSocketError(socket);
    }
    override async alarm(): Promise<void> {
      wakeUps.alarms += 1;
      const next = this.#server.alarm();
      if (next !== undefined) await this.ctx.storage.setAlarm(next);
    }
  };
}

export class ServedRoom extends defineRoom(heartbeat) {}
export class FastRoom extends defineRoom(fastHeartbeat) {}

/** A text as long as the offset of a recoverable event. */
const OFFSET = "zzzzzzzzzzz";
const plainEvent = `42${JSON.stringify(["message", message])}`;
const recoverableEvent = `42${JSON.stringify(["message", message, OFFSET])}`;

export class BareRoom extends DurableObject {
  readonly #sql = this.ctx.storage.sql;
  #rows = 0;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    wakeUps.lives += 1;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  }

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
    if (text === '42["ping"]') socket.send(`42${JSON.stringify(["pong", pong("12345678901234567890")])}`);
    if (text === '42["emit"]') this.#sendToAll(plainEvent);
    if (text === '42["emit",true]') this.#sendToAll(recoverableEvent);
    if (text === '42["emit","row"]') {
      this.#rows += 1;
      this.#sql.exec("INSERT INTO events (text) VALUES (?)", `${this.#rows} ${recoverableEvent}`);
      this.#sendToAll(recoverableEvent);
    }
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  #sendToAll(event: string): void {
    for (const socket of this.ctx.getWebSockets()) socket.send(event);
  }
}
