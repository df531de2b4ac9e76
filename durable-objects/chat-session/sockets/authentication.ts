/**
 * Who a connection speaks for: verified at its handshake as an HTTP caller and counted as one of their requests, and
 * checked again at each round of pings. Only a delegation can end while its socket is open: an invocation proves once
 * who connects. Expiry is known here; the user vault is asked for revocations.
 */
import type { UserVaultRpc } from "../../user-vault.ts";
import { fail, newFailure } from "../../../platform/failure.ts";
import { createLogger, describeThrown, type Logger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { HandshakeRequest } from "../../../socketio/index.ts";
import type { HandshakeTokens, SocketAuthenticator, SocketCaller } from "../../../oracle/settings.ts";
import type { DelegatedSocket, SessionSockets } from "./session-sockets.ts";

/** The query member in which the surface passes the client's address, replacing whatever the client wrote there. */
const ADDRESS_PARAMETER = "address";

export interface AuthenticationOptions {
  /** Rejects while the oracle's configuration is wrong. */
  readonly authenticator: () => Promise<SocketAuthenticator>;
  readonly userVault: (did: string) => Pick<UserVaultRpc, "countRequest">;
  readonly log?: (requestId: string) => Logger;
}

export type Authenticate = (tokens: HandshakeTokens, request: HandshakeRequest) => Promise<Result<SocketCaller>>;

const UNAVAILABLE = newFailure("unavailable", "The oracle cannot be reached now; please try again later");

export function createAuthentication({
  authenticator,
  userVault,
  log = socketLog,
}: AuthenticationOptions): Authenticate {
  return async (tokens, { url, headers }) => {
    const requestLog = log(headers["x-request-id"] ?? "");
    try {
      const { verify, requestsPerMinute } = await authenticator();
      const address = new URL(url).searchParams.get(ADDRESS_PARAMETER) ?? "unknown";
      const caller = await verify(tokens, address, requestLog);
      if (!caller.ok) return caller;
      const { admitted } = await userVault(caller.value.did).countRequest(requestsPerMinute);
      return admitted ? success(caller.value) : fail("rate_limited", "Too many requests");
    } catch (thrown) {
      requestLog.error("handshake-failed", { reason: describeThrown(thrown) });
      return failure(UNAVAILABLE);
    }
  };
}

function socketLog(requestId: string): Logger {
  return createLogger({ surface: "oracle", object: "chat-session", requestId });
}

interface RevocationOptions {
  readonly sockets: Pick<SessionSockets, "delegated" | "revoke">;
  readonly userVault: (did: string) => Pick<UserVaultRpc, "delegationRevokedAt">;
  /** The user vault is not asked more often, milliseconds. */
  readonly everyMs: number;
  readonly now: () => number;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

export function createRevocations(options: RevocationOptions) {
  const { sockets, userVault, now, log } = options;
  let askedAt = -Infinity;

  function end({ socketId }: DelegatedSocket, reason: "expired" | "revoked"): void {
    log.info("socket-authentication-ended", { reason });
    sockets.revoke(socketId);
  }

  /** When the user vault cannot be reached nothing ends; the next round asks again. */
  async function endRevoked(did: string): Promise<void> {
    try {
      const revokedAt = await userVault(did).delegationRevokedAt();
      // Looked up again: during the wait sockets came and went.
      for (const socket of sockets.delegated()) {
        if (revokedAt !== null && socket.did === did && socket.provenAt <= revokedAt) end(socket, "revoked");
      }
    } catch (thrown) {
      log.warn("revocation-not-checked", { reason: describeThrown(thrown) });
    }
  }

  return {
    /** Part of the shared alarm; never due by itself. */
    check(): undefined {
      for (const socket of sockets.delegated()) {
        const { delegationExpiry } = socket;
        if (delegationExpiry !== null && delegationExpiry * 1000 <= now()) end(socket, "expired");
      }
      const users = new Set(sockets.delegated().map(({ did }) => did));
      if (users.size === 0 || now() - askedAt < options.everyMs) return undefined;
      askedAt = now();
      for (const did of users) options.background(endRevoked(did));
      return undefined;
    },
  };
}
