/**
 * The Socket.IO server of a chat session (contract/oracle.md sections 8.1, 8.2): the module of durable-objects/socketio
 * with the chat's limits and the chat's channel on it. An object whose session was never made also gets one, since every
 * refusal is told over a connection; when the last such connection is gone, nothing of it stays.
 */
import type { FailureCode } from "../../../workers/platform/failure.ts";
import { wireMeaningOf } from "../../../workers/platform/http/error-bodies.ts";
import type { Application } from "../../socketio/application.ts";
import type { PacketRate, SocketServerOptions } from "../../socketio/options.ts";
import type { ServerPorts } from "../../socketio/ports.ts";
import { createSocketServer, type SocketServer } from "../../socketio/server.ts";
import { SOCKETS_PER_SESSION } from "./chat-channel.ts";
import type { SocketIdentity } from "./session-sockets.ts";

/** How long a connection may take to say who it is, milliseconds. */
const CONNECT_TIME_LIMIT_MS = 10_000;
/** Connections that have not said who they are, and those that have: room for a burst of reconnects. */
const CONNECTIONS = 128;
/** Of the interval: whoever is due within it is pinged along, so that a crowd costs at most four wake-ups an interval. */
const PING_TOGETHER_SHARE = 0.25;
/**
 * Packets of one connection: a page that answers the calls of a turn sends some dozens. Every one of them wakes the
 * object, and those that are refused are logged.
 */
const PACKET_RATE: PacketRate = { burst: 200, perSecond: 50 };
/** The header in which the surface hands the request's id on. */
const REQUEST_ID = "x-request-id";

/** What the surface sets for all its sockets. */
export interface ChannelSettings {
  /** Silence after which a client is pinged, milliseconds; each ping wakes the object. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Origins of pages that may connect. */
  readonly origins: "*" | readonly string[];
}

export function allowsOrigin({ origins }: Pick<ChannelSettings, "origins">, origin: string): boolean {
  return origins === "*" || origins.includes(origin);
}

export function createChannelServer(
  application: Application<SocketIdentity>,
  { pingIntervalMs, pingTimeoutMs, origins }: ChannelSettings,
  ports: ServerPorts,
): SocketServer<SocketIdentity> {
  const options: Partial<SocketServerOptions> = {
    pingIntervalMs,
    pingTimeoutMs,
    pingTogetherMs: pingIntervalMs * PING_TOGETHER_SHARE,
    connectTimeoutMs: CONNECT_TIME_LIMIT_MS,
    closeEmptySessions: true,
    maxSessions: CONNECTIONS,
    // One more comes in before the oldest goes.
    maxSockets: SOCKETS_PER_SESSION + 1,
    packetRate: PACKET_RATE,
    binary: false,
    allowOrigin: origins === "*" ? "*" : (origin) => allowsOrigin({ origins }, origin),
    errorMembers,
  };
  return createSocketServer(application, options, ports);
}

const refusals: readonly FailureCode[] = ["invalid_request", "too_large", "unavailable"];

/** The oracle's error body (contract/oracle.md section 3.3) around Engine.IO's `code` and `message`. */
function errorMembers(status: number, _message: string, request: Request) {
  const meaning = refusals.map(wireMeaningOf).find((each) => each.status === status);
  const requestId = request.headers.get(REQUEST_ID) ?? "";
  return { statusCode: status, error: meaning?.phrase ?? "Error", requestId };
}
