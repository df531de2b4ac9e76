/**
 * Node's stock socket.io server in a separate process: a room for each name in the query, with the events of bench/bare/rooms.ts.
 * Started by socket-servers.ts; it ends with its parent.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "socket.io";
import { EMIT, heartbeat, message, PING, pong } from "./bare/room-events.ts";

process.on("disconnect", () => process.exit());

const http = createServer();
const server = new Server(http, {
  transports: ["websocket"],
  serveClient: false,
  pingInterval: heartbeat.pingIntervalMs,
  pingTimeout: heartbeat.pingTimeoutMs,
  // Its events are recoverable too: they are stored in memory.
  connectionStateRecovery: {},
});
server.on("connection", (socket) => {
  const room = String(socket.handshake.query["room"]);
  void socket.join(room);
  socket.on(EMIT, () => server.to(room).emit("message", message));
  socket.on(PING, () => socket.emit("pong", pong(socket.id)));
});
http.listen(0, "127.0.0.1", () => process.send?.((http.address() as AddressInfo).port));
