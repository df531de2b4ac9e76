/** What the Socket.IO layer shares: one type, so that not every file lists its own dependencies. */
import type { Engine } from "../engine/engine.ts";
import type { SocketServerOptions } from "../options.ts";
import type { ServerPorts } from "../ports.ts";
import type { Callbacks } from "./callbacks.ts";
import type { EventLog } from "./event-log.ts";
import type { Rooms } from "./rooms.ts";
import type { Sockets } from "./sockets.ts";

export interface ServerContext<Data> {
  readonly options: SocketServerOptions;
  readonly ports: ServerPorts;
  readonly engine: Engine;
  readonly sockets: Sockets;
  readonly rooms: Rooms;
  readonly events: EventLog;
  readonly callbacks: Callbacks<Data>;
}
