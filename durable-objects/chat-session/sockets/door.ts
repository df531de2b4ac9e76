/** Who may open a socket, as the object asks the surface that knows: the verifier and the limit of the HTTP routes. */
import type { Logger } from "../../../workers/platform/log.ts";
import type { Result } from "../../../workers/platform/result.ts";

/** What the handshake brought (contract/oracle.md section 8.1). */
export interface HandshakeTokens {
  readonly invocation: string | undefined;
  readonly delegation: string | undefined;
}

export interface SocketCaller {
  readonly did: string;
  /** When a delegation alone proves the caller: its expiry in Unix seconds, null for one that does not expire. */
  readonly delegationExpiry?: number | null;
}

export interface SocketAuthenticator {
  /**
   * The caller that the tokens prove. `address` is the client's, for the brake on failed attempts.
   * Faults: `unauthenticated` with one of the texts of a 401, `rate_limited`, `unavailable`.
   */
  verify(tokens: HandshakeTokens, address: string, log: Logger): Promise<Result<SocketCaller>>;
  /** What a user may ask for in a minute; a connection counts as a request. */
  readonly requestsPerMinute: number;
}
