/** A Durable Object that is nothing but a server of durable-objects/socketio: it lends its state and forwards its events. */
import { DurableObject } from "cloudflare:workers";
import { objectPorts } from "../../../durable-objects/socketio/object-ports.ts";
import type { ServerPorts } from "../../../durable-objects/socketio/ports.ts";
import type { SocketServer } from "../../../durable-objects/socketio/server.ts";

type Served = Pick<
  SocketServer<unknown>,
  "handleRequest" | "webSocketMessage" | "webSocketClose" | "webSocketError" | "alarm"
>;

export function defineSocketObject(create: (ports: ServerPorts) => Served) {
  return class extends DurableObject {
    // Much of what tests send is refused; the log would tell of nothing else.
    readonly #server = create(objectPorts(this.ctx, { log: () => undefined }));

    override fetch(request: Request): Promise<Response> {
      return this.#server.handleRequest(request);
    }
    override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
      this.#server.webSocketMessage(socket, message);
    }
    override webSocketClose(socket: WebSocket): void {
      this.#server.webSocketClose(socket);
    }
    override webSocketError(socket: WebSocket): void {
      this.#server.webSocketError(socket);
    }
    override async alarm(): Promise<void> {
      const next = this.#server.alarm();
      if (next !== undefined) await this.ctx.storage.setAlarm(next);
    }
  };
}
