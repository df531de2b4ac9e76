/**
 * The registry's errors (contract/registry.md section 10): problem details by RFC 9457. Core functions return a Problem
 * inside a Result; `problemResponse` alone knows how it looks on the wire.
 */
import { problemDocument } from "../platform/http/error-bodies.ts";
import { failure, type Result } from "../platform/result.ts";

const statuses = {
  malformed_json: 400,
  validation_failed: 400,
  class_conflict: 400,
  unknown_field: 400,
  read_only_field: 400,
  immutable_field: 400,
  class_cycle: 400,
  invalid_did: 400,
  invalid_cursor: 400,
  invalid_page_size: 400,
  unknown_parameter: 400,
  conflicting_credentials: 400,
  idempotency_not_supported: 400,
  query_too_costly: 400,
  unauthenticated: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  not_controller: 403,
  not_in_electorate: 403,
  not_proposer: 403,
  suspended_by_admin: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  domain_deactivated: 409,
  domain_not_active: 409,
  domain_expired: 409,
  proposal_open: 409,
  already_verified: 409,
  not_verified: 409,
  no_eligible_voters: 409,
  voting_closed: 409,
  proposal_closed: 409,
  already_voted: 409,
  not_eligible: 409,
  key_not_rotatable: 409,
  write_contention: 409,
  version_mismatch: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  package_mismatch: 422,
  precondition_required: 428,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ProblemCode = keyof typeof statuses;

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
  return statuses[code];
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(statuses, code);
}

export function problemResponse(
  { code, detail, errors = [], headers = {} }: Problem,
  request: { readonly path: string; readonly requestId: string },
): Response {
  const body = problemDocument({ code, status: statusOf(code), detail, errors, ...request });
  return new Response(JSON.stringify(body), {
    status: statusOf(code),
    headers: { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...headers },
  });
}
