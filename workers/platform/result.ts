/**
 * A value or a fault, as plain data. Domain errors travel as values because `instanceof` does not survive
 * Durable Object RPC; whatever is thrown instead is a bug.
 */
import type { Fault } from "./errors.ts";

export type Result<Value, Failure = Fault> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure };

export function success<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

export function failure<Failure>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error };
}
