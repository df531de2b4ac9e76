/**
 * Reports the user's sockets of this session to the user vault, and disconnects those above the limit over all their
 * sessions. Everything runs in the background: an unreachable user vault closes no socket. Each report is the whole
 * list, so the next one corrects a failed one.
 */
import type { UserVaultRpc } from "../../user-vault.ts";
import { describeThrown, type Logger } from "../../../platform/log.ts";
import type { SocketPlace } from "../../../oracle/user-vault-rpc.ts";
import type { SessionSockets } from "./session-sockets.ts";

export interface UserSocketsOptions {
  readonly sockets: Pick<SessionSockets, "listOf" | "dismiss">;
  readonly userVault: (did: string) => Pick<UserVaultRpc, "listSockets">;
  /** Another session of the user. */
  readonly session: (sessionId: string) => { dismissSocket(caller: string, socketId: string): Promise<void> };
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

export interface UserSockets {
  /** A socket of that user has connected or disconnected. */
  changed(did: string, sessionId: string): void;
}

export function createUserSockets({ sockets, userVault, session, background, log }: UserSocketsOptions): UserSockets {
  /** One report at a time, because two concurrent reports could arrive in the wrong order. */
  let last: Promise<void> = Promise.resolve();
  let waits = false;

  async function report(did: string, sessionId: string): Promise<void> {
    waits = false;
    try {
      const surplus = await userVault(did).listSockets(sessionId, sockets.listOf(did));
      for (const place of surplus) background(dismiss(did, sessionId, place));
    } catch (thrown) {
      log.warn("sockets-not-listed", { reason: describeThrown(thrown) });
    }
  }

  async function dismiss(did: string, here: string, { sessionId, socketId }: SocketPlace): Promise<void> {
    try {
      if (sessionId === here) sockets.dismiss(did, socketId);
      else await session(sessionId).dismissSocket(did, socketId);
    } catch (thrown) {
      // The next report of its session lists it again.
      log.warn("socket-not-dismissed", { reason: describeThrown(thrown) });
    }
  }

  return {
    changed(did, sessionId) {
      // A waiting report reads the list when it runs.
      if (waits) return;
      waits = true;
      last = last.then(() => report(did, sessionId));
      background(last);
    },
  };
}
