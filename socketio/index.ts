/**
 * The public interface of the Socket.IO server (README.md). Code outside this folder imports from here only; this is one
 * of the few index files of the project, because the folder is a separate package.
 */
export type {
  AckOutcome,
  Application,
  AwaitedAck,
  ConnectRequest,
  ConnectResult,
  DisconnectReason,
  EmitOptions,
  HandshakeRequest,
  SocketPresence,
  SocketRecord,
  Target,
} from "./application.ts";
export { socketServerDefaults } from "./options.ts";
export type { PacketRate, RecoveryOptions, SocketServerOptions, TransportName } from "./options.ts";
export { objectPorts } from "./ports.ts";
export type { Connection, ServerPorts } from "./ports.ts";
export { createSocketServer } from "./server.ts";
export type { SocketServer } from "./server.ts";
