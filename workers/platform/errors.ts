/**
 * The one union of error codes. A fault is plain data: the core returns it inside a Result, and each wire has one
 * mapper (`http/error-bodies.ts`) that turns it into the body that the wire's clients know.
 */
import type { JsonObject } from "./json.ts";

export type FaultCode =
  | "invalid_request"
  | "unauthenticated"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "gone"
  | "too_large"
  | "request_timeout"
  | "rate_limited"
  | "internal"
  | "not_implemented"
  | "upstream_failed"
  | "unavailable";

export interface Fault {
  readonly code: FaultCode;
  /** A clear sentence for the client that says what to do; never a secret, never an inner error's text. */
  readonly message: string;
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  readonly retryAfter?: number;
  /** The methods that the path does have; becomes `Allow` on a 405. */
  readonly allow?: readonly string[];
  /** Members that a wire adds to its body, such as `claims` or `kind`. */
  readonly members?: JsonObject;
}

interface HttpMeaning {
  readonly status: number;
  readonly phrase: string;
}

const meanings: Readonly<Record<FaultCode, HttpMeaning>> = {
  invalid_request: { status: 400, phrase: "Bad Request" },
  unauthenticated: { status: 401, phrase: "Unauthorized" },
  payment_required: { status: 402, phrase: "Payment Required" },
  forbidden: { status: 403, phrase: "Forbidden" },
  not_found: { status: 404, phrase: "Not Found" },
  method_not_allowed: { status: 405, phrase: "Method Not Allowed" },
  conflict: { status: 409, phrase: "Conflict" },
  gone: { status: 410, phrase: "Gone" },
  request_timeout: { status: 408, phrase: "Request Timeout" },
  too_large: { status: 413, phrase: "Payload Too Large" },
  rate_limited: { status: 429, phrase: "Too Many Requests" },
  internal: { status: 500, phrase: "Internal Server Error" },
  not_implemented: { status: 501, phrase: "Not Implemented" },
  upstream_failed: { status: 502, phrase: "Bad Gateway" },
  unavailable: { status: 503, phrase: "Service Unavailable" },
};

export function httpMeaningOf(code: FaultCode): HttpMeaning {
  return meanings[code];
}

export function fault(code: FaultCode, message: string, more: Omit<Fault, "code" | "message"> = {}): Fault {
  return { code, message, ...more };
}
