/** A query that is refused while it is read: thrown, because that is how resolvers and statements of lists fail. */
import type { Failure } from "../../platform/failure.ts";
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

/** `seconds` until it can be sent again. */
export function tooManyRows(seconds: number): RefusedQuery {
  const message = `Your queries looked at too many domains within a minute; wait ${seconds} s`;
  return new RefusedQuery(registryFailure("rate_limited", message, { retryAfter: seconds }));
}
