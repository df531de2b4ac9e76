/**
 * Authenticates a connection: verified at its handshake like an HTTP caller and counted as one of its user's requests,
 * and checked again at each round of pings. Only a delegation can end while its socket is open, because an invocation
 * proves only once who connects. Expiry is checked locally; the user vault is asked for revocations.
 */
import type { UserVaultRpc } from "../../user-vault.ts";
import { fail, newFailure } from "../../../platform/failure.ts";
import { createLogger, describeThrown, type Logger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { HandshakeRequest } from "../../../socketio/index.ts";
import type { HandshakeTokens, SocketAuthenticator, SocketCaller } from "../../../oracle/settings.ts";
import type { DelegatedSocket, SessionSockets } from "./session-sockets.ts";

/** The query parameter in which the surface passes the client's address; it replaces any value from the client. */
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
  /** Minimum interval between two queries of the user vault, in milliseconds. */
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

  /** If the user vault is unreachable, no socket is closed; the next round asks again. */
  async function endRevoked(did: string): Promise<void> {
    try {
      const revokedAt = await userVault(did).delegationRevokedAt();
      // Looked up again, because sockets may have changed during the wait.
      for (const socket of sockets.delegated()) {
        if (revokedAt !== null && socket.did === did && socket.provenAt <= revokedAt) end(socket, "revoked");
      }
    } catch (thrown) {
      log.warn("revocation-not-checked", { reason: describeThrown(thrown) });
    }
  }

  return {
    /** Part of the shared alarm; never due on its own. */
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
