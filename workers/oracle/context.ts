/** What a request of the oracle carries through middleware and routes, and the one way to refuse it. */
import type { Context } from "hono";
import type { Admission } from "../../durable-objects/user-store/rpc.ts";
import type { Authenticator, Caller } from "../platform/auth/authenticator.ts";
import type { Failure } from "../platform/failure.ts";
import { oracleError, type Additions } from "../platform/http/error-bodies.ts";
import type { AttemptLimit } from "../platform/http/attempt-limit.ts";
import type { Exchange } from "../platform/surface.ts";
import type { OracleConfig } from "./config.ts";
import type { OracleIdentity } from "./identity.ts";
import type { CountedTurn } from "./turn-budget.ts";

/** What is made once per isolate from the configuration. */
export interface OracleRuntime {
  readonly name: string;
  readonly config: OracleConfig;
  readonly identity: OracleIdentity;
  readonly authenticator: Authenticator;
  /** The brake on failed sign-ins; none in development. */
  readonly attempts: AttemptLimit | undefined;
}

export interface OracleHono {
  Bindings: Exchange;
  Variables: {
    runtime: OracleRuntime;
    /** Set behind `signedIn`. */
    caller: Caller;
    /** Set once the request has been counted. */
    admission: Admission | undefined;
    /** Set on the route that starts turns. */
    turn: CountedTurn;
  };
}

export type OracleContext = Context<OracleHono>;

/** A failure in the form that the oracle's clients know (contract/oracle.md section 3.3). */
export function refuse(c: OracleContext, failure: Failure, additions: Additions = {}): Response {
  const { requestId, path } = c.env;
  return oracleError(failure, { method: c.req.method, path, requestId }, additions);
}
