/** The ports of a socket server over the state of its Durable Object, for an object that uses its alarm for nothing else. */
import type { ServerPorts } from "./ports.ts";

/** Sets the server's websockets apart from others of the object. */
const TAG = "socketio";
/** Of randomness in an id; 20 characters, as Socket.IO has them. */
const ID_BYTES = 15;

/** @param ports in place of, or beside, those made here: the log at least. */
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
    refuse(code, reason) {
      const { 0: client, 1: server } = new WebSocketPair();
      server.accept();
      server.close(code, reason);
      return new Response(null, { status: 101, webSocket: client });
    },
    now: Date.now,
    newId,
    dueChanged: (at) => ctx.waitUntil(at === undefined ? ctx.storage.deleteAlarm() : ctx.storage.setAlarm(at)),
    background: (work) => ctx.waitUntil(work),
    ...ports,
  };
}

function newId(): string {
  const text = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(ID_BYTES))));
  return text.replaceAll("+", "-").replaceAll("/", "_");
}
