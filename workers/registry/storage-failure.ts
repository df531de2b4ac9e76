/** What is thrown while a request is answered: a database that cannot be reached now, or a bug of ours. */
import { registryFailure } from "./failures.ts";
import type { Failure } from "../platform/failure.ts";

/** Seconds; an overloaded database recovers in about as much. */
const RETRY_AFTER = 2;
/** D1's own troubles; what SQL itself refuses is a bug of ours. */
const STORAGE = /\bD1_(?:ERROR|EXEC_ERROR)?\b|D1 DB|Network connection lost/;
const SQL = /SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|RANGE|TOOBIG)|syntax error|no such (?:table|column)|D1_TYPE_ERROR/;

export function failureOfThrown(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  if (!STORAGE.test(text) || SQL.test(text))
    return registryFailure("internal", "The registry failed; tell its operator the request id");
  return registryFailure("unavailable", "The registry's storage cannot be reached now; try again", {
    retryAfter: RETRY_AFTER,
  });
}
