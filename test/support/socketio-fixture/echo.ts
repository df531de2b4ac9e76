/**
 * The two applications that the official protocol suites expect: an Engine.IO server that echoes each message, and a
 * Socket.IO server that tells of its handshake and sends events back.
 */
import type { Application } from "../../../durable-objects/socketio/application.ts";
import { createEngine, type Engine } from "../../../durable-objects/socketio/engine/engine.ts";
import { messageFrame } from "../../../durable-objects/socketio/engine/packets.ts";
import type { ServerPorts } from "../../../durable-objects/socketio/ports.ts";
import { createSocketServer, type SocketServer } from "../../../durable-objects/socketio/server.ts";
import { suiteSettings } from "./settings.ts";

export function createEchoEngine(ports: ServerPorts, settings = suiteSettings): Engine {
  const engine = createEngine(settings, ports, {
    onMessage: (sid, message) => void engine.send(sid, [messageFrame(message)]),
    onClose: () => undefined,
  });
  return engine;
}

/** What the client sent with its CONNECT. */
type Auth = Readonly<Record<string, unknown>>;

export function createEchoSockets(ports: ServerPorts, settings = suiteSettings): SocketServer<Auth> {
  const application: Application<Auth> = {
    authenticate: ({ auth }) => ({ ok: true, data: auth }),
    onConnect({ id, namespace, data }) {
      server.emit({ namespace, rooms: [id] }, "auth", [data]);
    },
    onEvent({ id, namespace }, name, args, ackId) {
      const answer = (given: readonly unknown[]) => server.emit({ namespace, rooms: [id] }, "message-back", given);
      if (name === "message") answer(args);
      // So many times without a pause in between.
      if (name === "burst") for (let left = Number(args[0]); left > 0; left -= 1) answer([args[1]]);
      if (name === "message-to-all") server.emit({ namespace }, "message-back", args);
      if (name === "message-with-ack" && ackId !== undefined) server.acknowledge(id, ackId, args);
    },
  };
  const server = createSocketServer(application, settings, ports);
  return server;
}
