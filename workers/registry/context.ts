/** The state that a request carries through middleware and routes, and the one way to refuse it. */
import type { Database } from "../../platform/database/database.ts";
import type { Context, MiddlewareHandler } from "hono";
import type { AttemptLimit } from "../../platform/http/attempt-limit.ts";
import type { AuditChange } from "../../platform/audit/audit.ts";
import type { Failure } from "../../platform/failure.ts";
import { problemDetails, type ErrorMapper } from "../../platform/http/error-bodies.ts";
import type { Exchange } from "../../platform/surface.ts";
import type { Caller, KnownSecrets } from "./caller.ts";
import type { SharedFeed } from "./changes/shared-feed.ts";
import type { RegistryConfig } from "./config.ts";
import type { RandomBytes } from "./did.ts";
import type { RequestRates } from "./http/request-rates.ts";
import type { DeploymentBudget } from "./lists/deployment-budget.ts";
import type { RowCosts } from "./lists/row-budget.ts";
import type { Waker, WebhookOutboxes } from "./webhooks/wake.ts";

/** The parts that are made once per isolate from the configuration. */
export interface RegistryRuntime {
  readonly config: RegistryConfig;
  readonly database: Database;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
  readonly rates: RequestRates;
  readonly rowCosts: RowCosts;
  /** The budget that all callers of the deployment share. */
  readonly deployment: DeploymentBudget;
  /** The limit on failed authentications. Undefined in development. */
  readonly attempts: AttemptLimit | undefined;
  readonly secrets: KnownSecrets;
  readonly outboxes: WebhookOutboxes;
  readonly waker: Waker;
  readonly feed: SharedFeed;
}

/** A request of a client, or of another surface of this Worker. */
export interface RegistryExchange extends Exchange {
  /** The surface that reads, and its caller. Only code of this Worker sets it; a request cannot. */
  readonly reader?: string;
}

export interface RegistryHono {
  Bindings: RegistryExchange;
  Variables: {
    runtime: RegistryRuntime;
    /**
     * Set by `keyed`. On an open surface (`openFor`) it is set only if the request has a key; no handler there needs
     * it.
     */
    caller: Caller;
    /** The route's id, by which the table of roles names it. Unset for GraphQL. */
    operation: string | undefined;
    /** Ends the audit of a write whose response is a stream; its handler calls it. */
    endAudit: (() => Promise<void>) | undefined;
    /** What the write changed, for the audit log. */
    change: AuditChange | undefined;
    /** The body's text once `bodyText` has read it. */
    bodyText: string | undefined;
    /** The scope that the route requires, once it has been checked. */
    scope: string | undefined;
    /** Headers of a refusal, such as the ETag of the current version. */
    refusalHeaders: Readonly<Record<string, string>> | undefined;
    /** The format of failures on this path. Problem details unless a wire sets another format (`refusesWith`). */
    errorMapper: ErrorMapper | undefined;
    /** Added to the response after the request has been counted. */
    rateHeaders: Readonly<Record<string, string>> | undefined;
  };
}

export type RegistryContext = Context<RegistryHono>;

/** For a wire with its own error format: from here on, refusals have this format. */
export function refusesWith(mapper: (accept: string | undefined) => ErrorMapper): MiddlewareHandler<RegistryHono> {
  return async (c, next) => {
    c.set("errorMapper", mapper(c.req.header("Accept")));
    await next();
  };
}

/** A failure in the error format of the path. */
export function refuse(
  c: RegistryContext,
  failure: Failure,
  headers: Readonly<Record<string, string>> = c.var.refusalHeaders ?? {},
): Response {
  const { path, requestId } = c.env;
  const challenge = challengeOf(failure, c.var.scope);
  const respond = c.var.errorMapper ?? problemDetails;
  return respond(
    failure,
    { method: c.req.method, path, requestId },
    { headers: challenge === undefined ? headers : { ...headers, "WWW-Authenticate": challenge } },
  );
}

/** `WWW-Authenticate` (RFC 6750, section 3). */
function challengeOf({ reason }: Failure, scope: string | undefined): string | undefined {
  const challenge = 'Bearer realm="registry"';
  if (reason === "unauthenticated") return challenge;
  if (reason === "invalid_token") return `${challenge}, error="invalid_token"`;
  return reason === "insufficient_scope" ? `${challenge}, error="insufficient_scope", scope="${scope}"` : undefined;
}
