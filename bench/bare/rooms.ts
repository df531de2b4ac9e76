/**
 * Rooms for the socket measures, each an object with hibernating websockets: one on the project's Socket.IO server and
 * nothing else, and bare ones that send the same bytes and know of no protocol.
 */
import { DurableObject } from "cloudflare:workers";
import {
  createSocketServer,
  objectPorts,
  type SocketServer,
  type SocketServerOptions,
} from "../../durable-objects/socketio/index.ts";
import { briskHeartbeat, CONNECT_TIMEOUT_MS, EMIT, heartbeat, message, PING, pong } from "./room-events.ts";
import { wakeUpsOf } from "./wake-ups.ts";

export interface RoomsEnv {
  readonly SERVED: DurableObjectNamespace;
  readonly BRISK: DurableObjectNamespace;
  readonly BARE_ROOM: DurableObjectNamespace;
}

function defineRoom(options: Partial<SocketServerOptions>) {
  return class extends DurableObject {
    readonly #wakeUps = wakeUpsOf(this.ctx.id);
    readonly #server: SocketServer<null> = createSocketServer<null>(
      {
        authenticate: () => ({ ok: true, data: null }),
        onEvent: ({ id }, name, [kept]) => {
          if (name === EMIT) this.#server.emit({}, "message", [message], { recover: kept === true });
          if (name === PING) this.#server.emit({ rooms: [id] }, "pong", [pong(id)], { recover: false });
        },
      },
      options,
      objectPorts(this.ctx, { log: () => undefined }),
    );

    constructor(context: DurableObjectState, env: Env) {
      super(context, env);
      this.#wakeUps.lives += 1;
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
      this.#wakeUps.alarms += 1;
      const next = this.#server.alarm();
      if (next !== undefined) await this.ctx.storage.setAlarm(next);
    }
  };
}

export class ServedRoom extends defineRoom({ ...heartbeat, connectTimeoutMs: CONNECT_TIMEOUT_MS }) {}
export class BriskRoom extends defineRoom({ ...briskHeartbeat, connectTimeoutMs: CONNECT_TIMEOUT_MS }) {}

/** As long as an offset that lets a client recover. */
const OFFSET = "zzzzzzzzzzz";
const plainEvent = `42${JSON.stringify(["message", message])}`;
const keptEvent = `42${JSON.stringify(["message", message, OFFSET])}`;

export class BareRoom extends DurableObject {
  readonly #sql = this.ctx.storage.sql;
  #rows = 0;

  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    wakeUpsOf(this.ctx.id).lives += 1;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  }

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, text: string | ArrayBuffer): void {
    if (text === '42["ping"]') socket.send(`42${JSON.stringify(["pong", pong("12345678901234567890")])}`);
    if (text === '42["emit"]') this.#tellAll(plainEvent);
    if (text === '42["emit",true]') this.#tellAll(keptEvent);
    if (text === '42["emit","row"]') {
      this.#rows += 1;
      this.#sql.exec("INSERT INTO events (text) VALUES (?)", `${this.#rows} ${keptEvent}`);
      this.#tellAll(keptEvent);
    }
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  #tellAll(event: string): void {
    for (const socket of this.ctx.getWebSockets()) socket.send(event);
  }
}
