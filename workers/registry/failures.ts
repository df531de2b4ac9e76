/**
 * The registry's failures: each reason that a program can see, with its class, and the failures that several parts
 * share. On the wire, the reason is the member `code` of the problem.
 */
import { newFailure, type Failure, type FailureCode, type FailureDetail } from "../../platform/failure.ts";
import { DatabaseUnreachable } from "../../platform/database/unreachable.ts";
import { isDatabaseFull } from "../../platform/database/database-size.ts";
import { wireMeaningOf } from "../../platform/http/error-bodies.ts";
import { failure } from "../../platform/result.ts";

const codes = {
  malformed_json: "invalid_request",
  validation_failed: "invalid_request",
  class_conflict: "invalid_request",
  unknown_field: "invalid_request",
  read_only_field: "invalid_request",
  immutable_field: "invalid_request",
  class_cycle: "invalid_request",
  invalid_did: "invalid_request",
  invalid_cursor: "invalid_request",
  invalid_page_size: "invalid_request",
  unknown_parameter: "invalid_request",
  conflicting_credentials: "invalid_request",
  idempotency_not_supported: "invalid_request",
  query_too_costly: "invalid_request",
  unauthenticated: "unauthenticated",
  invalid_token: "unauthenticated",
  insufficient_scope: "forbidden",
  role_not_allowed: "forbidden",
  not_controller: "forbidden",
  not_in_electorate: "forbidden",
  not_proposer: "forbidden",
  suspended_by_admin: "forbidden",
  not_found: "not_found",
  method_not_allowed: "method_not_allowed",
  not_acceptable: "not_acceptable",
  domain_deactivated: "conflict",
  domain_not_active: "conflict",
  domain_expired: "conflict",
  proposal_open: "conflict",
  already_verified: "conflict",
  not_verified: "conflict",
  no_eligible_voters: "conflict",
  voting_closed: "conflict",
  proposal_closed: "conflict",
  already_voted: "conflict",
  not_eligible: "conflict",
  key_not_rotatable: "conflict",
  write_contention: "conflict",
  version_mismatch: "version_mismatch",
  body_too_large: "too_large",
  unsupported_media_type: "unsupported_media_type",
  idempotency_mismatch: "unprocessable",
  package_mismatch: "unprocessable",
  voter_cannot_vote: "unprocessable",
  precondition_required: "precondition_required",
  rate_limited: "rate_limited",
  internal: "internal",
  unavailable: "unavailable",
  quota_exceeded: "rate_limited",
  storage_full: "storage_full",
} as const satisfies Readonly<Record<string, FailureCode>>;

export type RegistryReason = keyof typeof codes;

type Circumstances = Pick<Failure, "details" | "retryAfter">;

export function registryFailure(reason: RegistryReason, message: string, circumstances: Circumstances = {}): Failure {
  return newFailure(codes[reason], message, { reason, ...circumstances });
}

/** The failure as a Result. */
export function refused(reason: RegistryReason, message: string, circumstances: Circumstances = {}) {
  return failure(registryFailure(reason, message, circumstances));
}

/** Maximum details listed per body; authors fix them a few at a time. */
const LISTED_DETAILS = 50;

/**
 * A single detail whose reason is in the table gives the failure that reason; everything else fails as
 * `validation_failed`. Details with equal messages at several places, such as two names of one member, are merged.
 */
export function failureOfDetails(details: readonly FailureDetail[]): Failure {
  const [first] = details;
  const messages = [...new Set(details.map(({ message }) => message))];
  const own = messages.length === 1 && first !== undefined && isReason(first.reason) ? first.reason : undefined;
  const message = messages.slice(0, 3).join("; ");
  return registryFailure(
    own ?? "validation_failed",
    messages.length > 3 ? `${message}; and ${messages.length - 3} more` : message,
    { details: details.slice(0, LISTED_DETAILS) },
  );
}

export function statusOf(reason: RegistryReason): number {
  return wireMeaningOf(codes[reason]).status;
}

function isReason(text: string): text is RegistryReason {
  return Object.hasOwn(codes, text);
}

export function unknownDomain() {
  return refused("not_found", "There is no such domain");
}

export function unknownProposal() {
  return refused("not_found", "There is no such proposal");
}

export function notController() {
  return refused("not_controller", "Only its controllers and admins of the registry may change this domain");
}

export function notProposer() {
  return refused("not_proposer", "Only its proposer or an admin can withdraw a proposal");
}

/** Other writers were faster in every attempt. */
export function writeContention() {
  return refused("write_contention", "Another request is changing the same domain; try again");
}

/** `seconds` until midnight UTC. */
export function overQuota(seconds: number) {
  const message =
    "A daily quota is used up: bytes that this key or its owner may write, or proposals of this owner or on this domain. Quotas reset at midnight UTC";
  return refused("quota_exceeded", message, { retryAfter: seconds });
}

export function unauthenticated(message = "Send an API key: Authorization: Bearer <API key>") {
  return refused("unauthenticated", message);
}

export function insufficientScope(scope: string) {
  return refused("insufficient_scope", `The key needs the scope ${scope}`);
}

/** One message for every reason, so that an attacker who guesses keys learns nothing. */
export function invalidToken(message = "The key is not valid here") {
  return refused("invalid_token", message);
}

/** Seconds; about the time in which an overloaded database recovers. */
const RETRY_AFTER = 2;
/** Failures of D1 itself. An error in SQL is our bug. */
const STORAGE = /\bD1_(?:ERROR|EXEC_ERROR)?\b|D1 DB|Network connection lost/;
const SQL = /SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG)|syntax error|no such (?:table|column)|D1_TYPE_ERROR/;

/** The failure for an error thrown while handling a request: the database is unreachable, or there is a bug. */
export function failureOfThrown(error: unknown): Failure {
  if (isDatabaseFull(error)) {
    return registryFailure(
      "storage_full",
      "The registry cannot store anything because its database is full; tell its operator",
    );
  }
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof DatabaseUnreachable || STORAGE.test(text)) || SQL.test(text))
    return registryFailure("internal", "The registry failed; report the request id to its operator");
  return registryFailure("unavailable", "The registry's storage is unavailable; try again", {
    retryAfter: RETRY_AFTER,
  });
}
