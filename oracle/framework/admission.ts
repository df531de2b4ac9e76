/**
 * The answer of `getRequestAdmission`, which decides whether a message may become a turn, and the refusals of gates and routes:
 * HTTP status and message.
 */
import { fail, type Failure, type FailureCode, type FailureMembers } from "../../platform/failure.ts";
import { success, type Result } from "../../platform/result.ts";

/**
 * Why a message or a request is refused; each code has one HTTP status:
 *
 * - `invalid_request` 400, `unauthenticated` 401, `payment_required` 402, `forbidden` 403, `not_found` 404
 * - `conflict` 409, `gone` 410, `too_large` 413, `unprocessable` 422, `rate_limited` 429
 * - `internal` 500, `upstream_failed` 502, `unavailable` 503, `deadline_exceeded` 504
 */
export type RefusalCode = Extract<
  FailureCode,
  | "invalid_request"
  | "unauthenticated"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "too_large"
  | "unprocessable"
  | "rate_limited"
  | "internal"
  | "upstream_failed"
  | "unavailable"
  | "deadline_exceeded"
>;

export interface RefusalOptions {
  /** A code for programs, sent as `code` in the body instead of the class: `quota_used_up`. */
  readonly reason?: string;
  /**
   * Whether a repeated request may be accepted later. The default follows from the code: true for `unauthenticated`, `forbidden`,
   * `rate_limited`, `upstream_failed`, `unavailable` and `deadline_exceeded`, false for the others.
   */
  readonly retryable?: boolean;
  /** Seconds, sent as the header `Retry-After`. */
  readonly retryAfter?: number;
  /** Additional members of the body, such as the amount to pay; names that every error body has are not allowed. */
  readonly members?: FailureMembers;
}

/** What `refuse` returns. */
export interface Refusal {
  readonly ok: false;
  readonly error: Failure;
}

/**
 * The result of `getRequestAdmission`. Anything but `admit()` or a `refuse(...)` is a mistake of the plugin: a 500, and no turn.
 */
export type RequestAdmission = Result<null>;

/** Admits the message as far as this plugin is concerned. */
export function admit(): RequestAdmission {
  return success(null);
}

/**
 * Refuses the message, or the request to a plugin's route: nothing is stored, and the sender gets the code's status with the
 * message, which says what to do and contains no secret. `refuse("payment_required", "Please top up your credits", { reason:
 * "no_credits" })` is a 402.
 */
export function refuse(code: RefusalCode, message: string, options: RefusalOptions = {}): Refusal {
  return fail(code, message, options);
}
