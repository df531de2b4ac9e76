/**
 * The registry's errors (contract/registry.md section 10): problem details by RFC 9457. Core functions return a Problem
 * inside a Result; `problemResponse` alone knows how it looks on the wire.
 */
import { newFailure, type FailureCode } from "../platform/failure.ts";
import { problemDetails, wireMeaningOf } from "../platform/http/error-bodies.ts";
import { failure, type Result } from "../platform/result.ts";

const reasons = {
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
  precondition_required: "precondition_required",
  rate_limited: "rate_limited",
  internal: "internal",
  unavailable: "unavailable",
} as const satisfies Readonly<Record<string, FailureCode>>;

export type ProblemCode = keyof typeof reasons;

/** What is wrong with one part of a request. */
export interface Flaw {
  /** A code of the table above, or one of required, type, length, format, range, order, duplicate. */
  readonly code: string;
  /** Says what to do; never holds a secret. */
  readonly detail: string;
  /** Where: a JSON pointer into the body, or the name of a query parameter or header. One of the three. */
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly Flaw[];
  /** Headers of the answer, such as ETag, Allow, Retry-After or WWW-Authenticate. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Outcome<Value> = Result<Value, Problem>;

export function problem(code: ProblemCode, detail: string, more: Pick<Problem, "errors" | "headers"> = {}): Problem {
  return { code, detail, ...more };
}

export function refused(code: ProblemCode, detail: string, more: Pick<Problem, "errors" | "headers"> = {}) {
  return failure(problem(code, detail, more));
}

/** Flaws of one body that are told at once; its author mends them a few at a time. */
const TOLD_FLAWS = 50;

/**
 * One flaw whose code is a problem's own is told under that code, everything else as `validation_failed`. What is told
 * in the same words at several places, such as two names of one member, is one flaw.
 */
export function problemOfFlaws(flaws: readonly Flaw[]): Problem {
  const [first] = flaws;
  const told = [...new Set(flaws.map(({ detail }) => detail))];
  const code = told.length === 1 && first !== undefined && isProblemCode(first.code) ? first.code : "validation_failed";
  const detail = told.slice(0, 3).join("; ");
  return problem(code, told.length > 3 ? `${detail}; and ${told.length - 3} more` : detail, {
    errors: flaws.slice(0, TOLD_FLAWS),
  });
}

export function statusOf(code: ProblemCode): number {
  return wireMeaningOf(reasons[code]).status;
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(reasons, code);
}

export function problemResponse(
  { code, detail, errors = [], headers = {} }: Problem,
  request: { readonly path: string; readonly requestId: string },
): Response {
  const details = errors.map(({ code: reason, detail: message, ...place }) => ({ reason, message, ...place }));
  const failed = newFailure(reasons[code], detail, { reason: code, details });
  return problemDetails(failed, { method: "", ...request }, { headers });
}
