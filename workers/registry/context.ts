/** What a request of the registry carries through middleware and routes, and the one way to refuse it. */
import type { Context } from "hono";
import type { ExpiringCache } from "../platform/auth/expiring-cache.ts";
import type { AttemptLimit } from "../platform/http/attempt-limit.ts";
import type { Exchange } from "../platform/surface.ts";
import type { Caller } from "./caller.ts";
import type { RegistryConfig } from "./config.ts";
import { resolutionProblem } from "./did-resolution/refusal.ts";
import { graphqlProblem } from "./graphql/problem-answer.ts";
import type { RandomBytes } from "./identifier.ts";
import type { KnownSecrets } from "./keys/known-secrets.ts";
import { problemResponse, type Problem } from "./problem.ts";
import type { RequestRates } from "./rates.ts";
import type { RowCosts } from "./row-costs.ts";
import type { Waker, WebhookOutboxes } from "./webhooks/wake.ts";

/** What is made once per isolate from the configuration. */
export interface RegistryRuntime {
  readonly config: RegistryConfig;
  readonly database: D1Database;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
  readonly rates: RequestRates;
  readonly rowCosts: RowCosts;
  /** The brake on failed authentications; none in development. */
  readonly attempts: AttemptLimit | undefined;
  /** Digests of secrets that were good a while ago: worth asking about even from an address that keeps failing. */
  readonly recognised: ExpiringCache<true>;
  readonly secrets: KnownSecrets;
  readonly outboxes: WebhookOutboxes;
  readonly waker: Waker;
}

export interface RegistryHono {
  Bindings: Exchange;
  Variables: {
    runtime: RegistryRuntime;
    /** Set behind `keyed`. On an open surface (`openFor`) only when a key was sent; nothing there needs it. */
    caller: Caller;
    /** The body's text once `bodyText` has read it. */
    bodyText: string | undefined;
    /** Put on the answer once the request was counted. */
    rateHeaders: Readonly<Record<string, string>> | undefined;
  };
}

export type RegistryContext = Context<RegistryHono>;

/** A problem in the form that clients of the path know: GraphQL errors, a result of DID resolution, or problem details. */
export function refuse(c: RegistryContext, problem: Problem): Response {
  const asked = { accept: c.req.header("Accept"), requestId: c.env.requestId };
  if (c.req.path === "/graphql") return graphqlProblem(problem, asked);
  if (c.req.path.startsWith("/1.0/identifiers/")) return resolutionProblem(problem, asked);
  return problemResponse(problem, c.env);
}
