/**
 * An expected failure, in every surface and every object: plain data inside a Result. It knows no wire. Each wire has one
 * mapper that turns it into what the wire's clients know (`http/error-bodies.ts` and the edges of the surfaces). `code` sets
 * the status. `reason` is the stable name that programs read: the member `code` on the oracle's and the registry's wires. For a
 * refused token, the first detail's `reason` is sent as `reason`.
 */
import type { classCodes } from "../protocol/error-codes.ts";

/** The class of a failure: what a caller can do about it. Each has one HTTP status and one gRPC code, and its line in the list. */
export type FailureCode = Exclude<keyof typeof classCodes, "misconfigured">;

/** What is wrong with one part of the input. */
export interface FailureDetail {
  /** A stable word for programs, such as `required` or `expired`. */
  readonly reason: string;
  /** Says what to do; never holds a secret. */
  readonly message: string;
  /** Where: a JSON pointer into the body, or the name of a query parameter or header. At most one of the three. */
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

export interface Failure {
  readonly code: FailureCode;
  /** A stable word for programs, narrower than the code: `already_voted`, `daily_turn_limit`. */
  readonly reason?: string;
  /** A clear sentence for the client that says what to do; never a secret, never an inner error's text. */
  readonly message: string;
  readonly details?: readonly FailureDetail[];
  /** Whether the same request may succeed later; left out where the code says it. */
  readonly retryable?: boolean;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number;
  /** Members that a plugin adds to the oracle's error body. */
  readonly members?: FailureMembers;
}

/** Not nested: a failure crosses between objects, whose types are checked all the way down. */
export type FailureMembers = Readonly<Record<string, string | number | boolean | readonly string[]>>;

type Circumstances = Omit<Failure, "code" | "message">;

export function newFailure(code: FailureCode, message: string, circumstances: Circumstances = {}): Failure {
  return { code, message, ...circumstances };
}

/** The same inside a Result. */
export function fail(
  code: FailureCode,
  message: string,
  circumstances: Circumstances = {},
): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error: newFailure(code, message, circumstances) };
}
