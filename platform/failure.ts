/**
 * An expected failure, in every surface and every object: plain data inside a Result, independent of any wire format.
 * Each wire has one mapper to its own form (`http/error-bodies.ts` and the edges of the surfaces). `code` sets the
 * status. `reason` is the stable name that programs read: the member `code` on the oracle's and the registry's wires.
 * For a refused token, the first detail's `reason` is sent as `reason`.
 */
import type { classCodes } from "../protocol/error-codes.ts";

/**
 * The class of a failure: what a caller can do about it. Each has one HTTP status and one gRPC code, and a line in the
 * list of error codes.
 */
export type FailureCode = Exclude<keyof typeof classCodes, "misconfigured">;

/** A fault in one part of the input. */
export interface FailureDetail {
  /** A stable code for programs, such as `required` or `expired`. */
  readonly reason: string;
  /** Says what to do; never contains a secret. */
  readonly message: string;
  /** The place: a JSON pointer into the body, or the name of a query parameter or header. At most one of the three. */
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

export interface Failure {
  readonly code: FailureCode;
  /** A stable code for programs, narrower than `code`: `already_voted`, `daily_turn_limit`. */
  readonly reason?: string;
  /** A clear sentence for the client that says what to do; never contains a secret or an inner error's text. */
  readonly message: string;
  readonly details?: readonly FailureDetail[];
  /** Whether repeating the request may succeed later; omitted if the code implies it. */
  readonly retryable?: boolean;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** Members that a plugin adds to the oracle's error body. */
  readonly members?: FailureMembers;
}

/** Not nested, because a failure crosses between objects, whose types are checked completely. */
export type FailureMembers = Readonly<Record<string, string | number | boolean | readonly string[]>>;

type Circumstances = Omit<Failure, "code" | "message">;

export function newFailure(code: FailureCode, message: string, circumstances: Circumstances = {}): Failure {
  return { code, message, ...circumstances };
}

/** The failure as a Result. */
export function fail(
  code: FailureCode,
  message: string,
  circumstances: Circumstances = {},
): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: newFailure(code, message, circumstances) };
}
