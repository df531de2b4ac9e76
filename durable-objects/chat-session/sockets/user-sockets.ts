/**
 * Keeps the user's vault told which sockets he has in this session, and sends those away that are too many over all his
 * sessions (contract/oracle.md section 3.5). All of it happens in the background: a vault that cannot be reached costs
 * nobody his socket. Each report is the whole list, so that the next one mends what a failed one left wrong.
 */
import { describeThrown, type Logger } from "../../../workers/platform/log.ts";
import type { SocketPlace, UserStoreRpc } from "../../user-store/rpc.ts";
import type { ChatSessionRpc } from "../rpc.ts";
import type { SessionSockets } from "./session-sockets.ts";

export interface UserSocketsOptions {
  readonly sockets: Pick<SessionSockets, "listOf" | "dismiss">;
  readonly vault: (did: string) => Pick<UserStoreRpc, "listSockets">;
  /** Another session of the user. */
  readonly session: (sessionId: string) => Pick<ChatSessionRpc, "dismissSocket">;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

export interface UserSockets {
  /** A socket of that user has come or gone. */
  changed(did: string, sessionId: string): void;
}

export function createUserSockets({ sockets, vault, session, background, log }: UserSocketsOptions): UserSockets {
  /** One report at a time: two under way could arrive the wrong way round. */
  let last: Promise<void> = Promise.resolve();
  let waits = false;

  async function report(did: string, sessionId: string): Promise<void> {
    waits = false;
    try {
      const surplus = await vault(did).listSockets(sessionId, sockets.listOf(did));
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
      // It is listed again, and found to be too many again, when its own session next has something to report.
      log.warn("socket-not-dismissed", { reason: describeThrown(thrown) });
    }
  }

  return {
    changed(did, sessionId) {
      // One that waits its turn will read the list then.
      if (waits) return;
      waits = true;
      last = last.then(() => report(did, sessionId));
      background(last);
    },
  };
}
