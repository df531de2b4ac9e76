/**
 * A query that is refused while it is read. It is thrown, because that is how resolvers and statements of lists fail.
 */
import type { Failure } from "../../../platform/failure.ts";
import { registryFailure, type RegistryReason } from "../failures.ts";

export class RefusedQuery extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function refusedQuery(reason: RegistryReason, message: string): RefusedQuery {
  return new RefusedQuery(registryFailure(reason, message));
}

const spentBy = {
  caller: "Your queries read too many domains within a minute",
  public: "Callers without an API key have used up their read budget; send a key",
  deployment: "Too many queries are searching the domains",
} as const;

/** Refused because of earlier reads; `seconds` until it can be retried. */
export function tooManyRows(by: keyof typeof spentBy, seconds: number): RefusedQuery {
  const message = `${spentBy[by]}${by === "public" ? ", or" : ";"} wait ${seconds} s`;
  return new RefusedQuery(registryFailure("rate_limited", message, { retryAfter: seconds }));
}
