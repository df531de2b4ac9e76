/**
 * Whether the sockets' authentication still holds, asked whenever the alarm rings, as it does for every round of pings.
 * Only a delegation can end while its socket is open: an invocation proves once who connects. Expiry is known here; a
 * revocation is asked of the user's vault, once a ping interval for all sockets of the session.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { UserStoreRpc } from "../../user-store/rpc.ts";
import type { DelegatedSocket, SessionSockets } from "./session-sockets.ts";

interface SocketAuthenticationParts {
  readonly sockets: Pick<SessionSockets, "delegated" | "revoke">;
  readonly vault: (did: string) => Pick<UserStoreRpc, "delegationRevokedAt">;
  /** The vault is not asked more often, milliseconds. */
  readonly everyMs: number;
  readonly now: () => number;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

export function createRevocations(parts: SocketAuthenticationParts) {
  const { sockets, vault, now, log } = parts;
  let askedAt = -Infinity;

  function end({ socketId }: DelegatedSocket, reason: "expired" | "revoked"): void {
    log.info("socket-authentication-ended", { reason });
    sockets.revoke(socketId);
  }

  /** A vault that cannot be reached ends nothing; it is asked again with the next round. */
  async function endRevoked(did: string): Promise<void> {
    try {
      const revokedAt = await vault(did).delegationRevokedAt();
      // Looked up again: during the wait sockets came and went.
      for (const socket of sockets.delegated()) {
        if (revokedAt !== null && socket.did === did && socket.provenAt <= revokedAt) end(socket, "revoked");
      }
    } catch (thrown) {
      log.warn("revocation-not-checked", { reason: describeThrown(thrown) });
    }
  }

  return {
    check(): void {
      for (const socket of sockets.delegated()) {
        const { delegationExpiry } = socket;
        if (delegationExpiry !== null && delegationExpiry * 1000 <= now()) end(socket, "expired");
      }
      const users = new Set(sockets.delegated().map(({ did }) => did));
      if (users.size === 0 || now() - askedAt < parts.everyMs) return;
      askedAt = now();
      for (const did of users) parts.background(endRevoked(did));
    },
  };
}
