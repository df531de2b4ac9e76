/**
 * The Socket.IO server of a chat session: connects socketio/ with the chat's limits and with `chat-channel.ts`, which
 * handles the events. An object without a session has a server too, because a connection is rejected with a close
 * packet.
 */
import type { FailureCode } from "../../../platform/failure.ts";
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import {
  createSocketServer,
  type Application,
  type PacketRate,
  type ServerPorts,
  type SocketServer,
  type SocketServerOptions,
} from "../../../socketio/index.ts";
import type { ChannelSettings } from "../../../oracle/settings.ts";
import type { UserVaultRpc } from "../../user-vault.ts";
import { createAuthentication, createRevocations, type AuthenticationOptions } from "./authentication.ts";
import { createChatChannel, SOCKETS_PER_SESSION, type ChatChannelOptions } from "./chat-channel.ts";
import type { SocketIdentity } from "./session-sockets.ts";
import { createUserSockets, type UserSocketsOptions } from "./user-sockets.ts";

/** Time limit for a connection to authenticate, in milliseconds. */
const CONNECT_TIME_LIMIT_MS = 10_000;
/** Connections, authenticated or not: enough for a burst of reconnects. */
const CONNECTIONS = 128;
/**
 * Share of the ping interval: clients that are due within it are pinged together, so that a session wakes at most four
 * times per interval.
 */
const PING_TOGETHER_SHARE = 0.25;
/**
 * Packets of one connection: a page that answers the calls of a run sends dozens. Each packet wakes the object,
 * and refused ones are logged.
 */
const PACKET_RATE: PacketRate = { burst: 200, perSecond: 50 };
/** The header in which the surface passes the request id. */
const REQUEST_ID = "x-request-id";

function allowsOrigin({ origins }: Pick<ChannelSettings, "origins">, origin: string): boolean {
  return origins === "*" || origins.includes(origin);
}

export interface SessionChannelOptions extends Omit<
  ChatChannelOptions,
  "userSockets" | "authenticate" | "allowsOrigin"
> {
  readonly settings: ChannelSettings;
  readonly otherSession: UserSocketsOptions["session"];
  readonly authenticator: AuthenticationOptions["authenticator"];
  readonly userVault: (did: string) => UserVaultRpc;
  readonly background: (work: Promise<unknown>) => void;
  readonly ports: ServerPorts;
}

/** The channel with its connections to the user vault and to the user's other sessions. */
export function createSessionChannel(options: SessionChannelOptions) {
  const { settings, sockets, session, authenticator, userVault, background, now, log } = options;
  const application = createChatChannel({
    sockets,
    session,
    now,
    log,
    userSockets: createUserSockets({ sockets, userVault, session: options.otherSession, background, log }),
    authenticate: createAuthentication({ authenticator, userVault }),
    allowsOrigin: (origin) => allowsOrigin(settings, origin),
  });
  return {
    server: createChannelServer(application, settings, options.ports),
    revocations: createRevocations({
      sockets,
      userVault,
      everyMs: settings.pingIntervalMs,
      now,
      background,
      log,
    }),
  };
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
    // One more is accepted before the oldest is disconnected.
    maxSockets: SOCKETS_PER_SESSION + 1,
    packetRate: PACKET_RATE,
    binary: false,
    allowOrigin: origins === "*" ? "*" : (origin) => allowsOrigin({ origins }, origin),
    errorMembers,
  };
  return createSocketServer(application, options, ports);
}

const refusals: readonly FailureCode[] = ["invalid_request", "too_large", "unavailable"];

/** The oracle's error body with Engine.IO's own members, a numeric `code` that its clients read, and `message`. */
function errorMembers(status: number, _message: string, request: Request) {
  const meaning = refusals.map(wireMeaningOf).find((each) => each.status === status);
  const requestId = request.headers.get(REQUEST_ID) ?? "";
  return { statusCode: status, error: meaning?.phrase ?? "Error", requestId, retryable: status >= 500 };
}
