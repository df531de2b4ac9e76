/**
 * A value or an expected failure, as plain data, because `instanceof` does not survive Durable Object RPC. A thrown
 * error is a bug.
 */
import type { Failure } from "./failure.ts";

export type Result<Value, Reason = Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Reason };

export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function failure<Reason>(error: Reason): { readonly ok: false; readonly error: Reason } {
  return { ok: false, error };
}
