/**
 * Whom a connection speaks for, by its handshake: verified as an HTTP caller and counted as one request of his
 * (contract/oracle.md sections 3.5, 8.2). Whether the session is his is asked elsewhere.
 */
import { fail, newFailure } from "../../../workers/platform/failure.ts";
import { createLogger, describeThrown, type Logger } from "../../../workers/platform/log.ts";
import { failure, success, type Result } from "../../../workers/platform/result.ts";
import type { OpeningRequest } from "../../socketio/application.ts";
import type { UserStoreRpc } from "../../user-store/rpc.ts";
import type { SocketAuthenticator, HandshakeTokens, SocketCaller } from "./door.ts";

/** The query member in which the surface hands the client's address on, over whatever the client wrote there. */
const ADDRESS_PARAMETER = "address";

export interface AdmissionParts {
  /** Rejects while the oracle's configuration is wrong. */
  readonly door: () => Promise<SocketAuthenticator>;
  readonly vault: (did: string) => Pick<UserStoreRpc, "admit">;
  readonly log?: (requestId: string) => Logger;
}

export type Admit = (tokens: HandshakeTokens, request: OpeningRequest) => Promise<Result<SocketCaller>>;

const UNAVAILABLE = newFailure("unavailable", "The oracle cannot be reached now; please try again later");

export function createAdmission({ door, vault, log = socketLog }: AdmissionParts): Admit {
  return async (tokens, { url, headers }) => {
    const requestLog = log(headers["x-request-id"] ?? "");
    try {
      const { verify, requestsPerMinute } = await door();
      const address = new URL(url).searchParams.get(ADDRESS_PARAMETER) ?? "unknown";
      const caller = await verify(tokens, address, requestLog);
      if (!caller.ok) return caller;
      const { admitted } = await vault(caller.value.did).admit(requestsPerMinute);
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
