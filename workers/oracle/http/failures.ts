/**
 * The state that a request carries through middleware and routes, and the form of failures for clients and in the
 * OpenAPI document.
 */
import type { Context } from "hono";
import type { PluginEdge } from "../../../oracle/boot/boot-options.ts";
import type { ErrorSource } from "../../../oracle/framework/app-options.ts";
import type { Admission, TokenGrant } from "../../../oracle/user-vault-rpc.ts";
import { errorBody, unauthorizedBody } from "../../../protocol/errors.ts";
import type { Caller } from "../../../platform/auth/authenticator.ts";
import { isDatabaseFull } from "../../../platform/database/database-size.ts";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { oracleError, oracleMembers, wireMeaningOf, type Additions } from "../../../platform/http/error-bodies.ts";
import type { OperationResponse } from "../../../platform/openapi.ts";
import type { Exchange } from "../../../platform/surface.ts";
import { KvLimitError } from "../../../oracle/framework/storage.ts";
import type { OracleRuntime } from "../runtime.ts";

/** A counted run. */
export interface CountedRun {
  /** The second half of the run's id. */
  readonly runKey: string;
  /** Releases a run that did not start. */
  release(): Promise<void>;
  /** The revision of plugins' data of the user when the run was counted. */
  readonly revision?: string;
  /** The reservation of the day's tokens; absent without a limit. */
  readonly grant?: TokenGrant | undefined;
  /** A limit of the day is reached, and nothing is counted: the request can only join a run that was started before. */
  readonly limitReached?: Failure;
}

export interface OracleHono {
  Bindings: Exchange;
  Variables: {
    runtime: OracleRuntime;
    /** Set on authenticated routes. */
    caller: Caller;
    /** The caller, for the middleware of plugins. */
    user: { readonly did: string };
    /** The plugin whose route answers, if it is a plugin's. */
    plugin: string | undefined;
    /** Set after the request was counted. */
    rateLimit: Admission | undefined;
    /** Whom an operator's act concerns, for the audit log: a digest. */
    actSubject: string | undefined;
    /** The plugins, for the routes that export and erase a user. */
    personalData: {
      readonly plugins: readonly Pick<PluginEdge, "plugin" | "context">[];
      /** Unix milliseconds. */
      readonly clock: () => number;
      readonly onError: (error: unknown, source: ErrorSource) => void;
    };
    /** Set on the route that starts runs. */
    counted: CountedRun;
  };
}

export type OracleContext = Context<OracleHono>;

/** Placeholder for a path without a route; the response names the actual path. */
export const unknownPath = newFailure("not_found", "Cannot GET /path");
export const sessionNotFound = newFailure("not_found", "Session not found");
export const runNotFound = newFailure("not_found", "Run not found");
export const approvalOver = newFailure(
  "conflict",
  "This call is no longer waiting for an approval: it was already answered, or it has expired.",
  { reason: "approval_over", retryable: false },
);

/** The response to a failed request, in the oracle's error body. */
export function refuse(c: OracleContext, failure: Failure, additions: Additions = {}): Response {
  const { requestId, path } = c.env;
  const { method } = c.req;
  const named = failure === unknownPath ? { ...failure, message: `Cannot ${method} ${path}` } : failure;
  return oracleError(named, { method, path, requestId }, additions);
}

/** Seconds. */
const OVERLOAD_RETRY_AFTER = 1;

export const internalError = newFailure("internal", "Internal server error");
export const overloaded = newFailure("unavailable", "The service is busy; please try again", {
  retryAfter: OVERLOAD_RETRY_AFTER,
});

const storageFull = newFailure(
  "storage_full",
  "The service cannot store anything because its database is full; tell its operator",
);

/**
 * The failure for an exception: a key or value in the request that a plugin's storage refuses, a call to an object that
 * the platform marks as retryable, or a bug.
 */
export function failureOfThrown(error: object): Failure {
  if (error instanceof KvLimitError) return newFailure("invalid_request", error.message);
  if (isDatabaseFull(error)) return storageFull;
  const isBusy =
    ("overloaded" in error && error.overloaded === true) || ("retryable" in error && error.retryable === true);
  return isBusy ? overloaded : internalError;
}

/** One response per status; the first failure of a status is its example. */
export function documentedFailures(failures: readonly Failure[]): Readonly<Record<number, OperationResponse>> {
  const responses: Record<number, OperationResponse> = {};
  for (const failure of failures) {
    const { code, message } = failure;
    const { status, phrase } = wireMeaningOf(code);
    if (responses[status] !== undefined) continue;
    const body = { statusCode: status, message, error: phrase, requestId: "req-42", ...oracleMembers(failure) };
    responses[status] =
      code === "unauthenticated"
        ? { description: phrase, content: { schema: unauthorizedBody, example: { ...body, ...unauthorizedExample } } }
        : { description: phrase, content: { schema: errorBody, example: body } };
  }
  return responses;
}

const unauthorizedExample = { code: "invalid_invocation", reason: "expired" };
