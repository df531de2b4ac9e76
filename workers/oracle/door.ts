/**
 * Who may open a socket, for the sessions' objects: the authenticator of the HTTP routes with its cache, and their brake
 * on failed attempts (contract/oracle.md section 8.2). What is different: a stale invocation beside a good delegation.
 */
import type { SocketAuthenticator } from "../../durable-objects/chat-session/settings.ts";
import type { Authenticator } from "../platform/auth/authenticator.ts";
import type { AttemptLimit } from "../platform/http/attempt-limit.ts";
import { failure, success } from "../platform/result.ts";
import type { OracleConfig } from "./config.ts";

export interface DoorParts {
  readonly authenticator: Authenticator;
  readonly attempts: AttemptLimit | undefined;
  readonly config: Pick<OracleConfig, "ORACLE_RATE_LIMIT_PER_MINUTE">;
}

export function createDoor({ authenticator, attempts, config }: DoorParts): SocketAuthenticator {
  return {
    requestsPerMinute: config.ORACLE_RATE_LIMIT_PER_MINUTE,
    async verify(tokens, address, log) {
      const refusal = attempts?.refusal(address);
      if (refusal !== undefined && !(await authenticator.recognisesTokens(tokens))) return failure(refusal);
      const caller = await authenticator.authenticateHandshake(tokens, log);
      if (caller.ok) {
        const { did, delegation, isProvenByDelegation } = caller.value;
        if (isProvenByDelegation !== true || delegation === undefined) return success({ did });
        return success({ did, delegationExpiry: delegation.expiration });
      }
      const tried = tokens.invocation !== undefined || tokens.delegation !== undefined;
      if (tried && caller.error.code === "unauthenticated") attempts?.failed(address);
      return caller;
    },
  };
}
