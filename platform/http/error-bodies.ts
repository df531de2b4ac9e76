/**
 * The form of a failure on each wire: the oracle's JSON, the registry's problem+json (RFC 9457), the query gateway's
 * gRPC status JSON and the phone gateway's JSON. Only this file knows HTTP statuses and phrases.
 */
import type { Failure, FailureCode, FailureDetail } from "../failure.ts";
import type { JsonObject } from "../json.ts";

interface WireMeaning {
  readonly status: number;
  readonly phrase: string;
  /** The number of the google.rpc.Code. */
  readonly grpc: number;
}

const meanings: Readonly<Record<FailureCode, WireMeaning>> = {
  invalid_request: { status: 400, phrase: "Bad Request", grpc: 3 },
  out_of_range: { status: 400, phrase: "Bad Request", grpc: 11 },
  failed_precondition: { status: 400, phrase: "Bad Request", grpc: 9 },
  unauthenticated: { status: 401, phrase: "Unauthorized", grpc: 16 },
  payment_required: { status: 402, phrase: "Payment Required", grpc: 9 },
  forbidden: { status: 403, phrase: "Forbidden", grpc: 7 },
  not_found: { status: 404, phrase: "Not Found", grpc: 5 },
  method_not_allowed: { status: 405, phrase: "Method Not Allowed", grpc: 12 },
  not_acceptable: { status: 406, phrase: "Not Acceptable", grpc: 3 },
  request_timeout: { status: 408, phrase: "Request Timeout", grpc: 4 },
  cancelled: { status: 408, phrase: "Request Timeout", grpc: 1 },
  conflict: { status: 409, phrase: "Conflict", grpc: 10 },
  already_exists: { status: 409, phrase: "Conflict", grpc: 6 },
  aborted: { status: 409, phrase: "Conflict", grpc: 10 },
  gone: { status: 410, phrase: "Gone", grpc: 5 },
  version_mismatch: { status: 412, phrase: "Precondition Failed", grpc: 9 },
  too_large: { status: 413, phrase: "Payload Too Large", grpc: 8 },
  uri_too_long: { status: 414, phrase: "URI Too Long", grpc: 3 },
  unsupported_media_type: { status: 415, phrase: "Unsupported Media Type", grpc: 3 },
  unprocessable: { status: 422, phrase: "Unprocessable Content", grpc: 3 },
  precondition_required: { status: 428, phrase: "Precondition Required", grpc: 9 },
  rate_limited: { status: 429, phrase: "Too Many Requests", grpc: 8 },
  internal: { status: 500, phrase: "Internal Server Error", grpc: 13 },
  unknown: { status: 500, phrase: "Internal Server Error", grpc: 2 },
  data_loss: { status: 500, phrase: "Internal Server Error", grpc: 15 },
  not_implemented: { status: 501, phrase: "Not Implemented", grpc: 12 },
  upstream_failed: { status: 502, phrase: "Bad Gateway", grpc: 14 },
  unavailable: { status: 503, phrase: "Service Unavailable", grpc: 14 },
  storage_full: { status: 507, phrase: "Insufficient Storage", grpc: 8 },
  deadline_exceeded: { status: 504, phrase: "Gateway Timeout", grpc: 4 },
};

export function wireMeaningOf(code: FailureCode): WireMeaning {
  return meanings[code];
}

export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === "string" && Object.hasOwn(meanings, code);
}

export interface FailedRequest {
  readonly method: string;
  /** The raw path of the request. */
  readonly path: string;
  readonly requestId: string;
}

/** Additions that only the edge knows: `Allow`, `WWW-Authenticate`, members that one route adds to its body. */
export interface Additions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly members?: JsonObject;
}

export type ErrorMapper = (failure: Failure, request: FailedRequest, additions?: Additions) => Response;

/** `{statusCode,message,error,requestId,code,retryable}`: clients of the oracle read the status from the body. */
export const oracleError: ErrorMapper = (failure, { requestId }, additions) => {
  const { status, phrase } = meanings[failure.code];
  const body = { statusCode: status, message: failure.message, error: phrase, requestId };
  return respond(failure, "application/json", { ...failure.members, ...body, ...oracleMembers(failure) }, additions);
};

/** Repeating the request may succeed later, or with new tokens. */
const retryableClasses: ReadonlySet<FailureCode> = new Set([
  "unauthenticated",
  "forbidden",
  "request_timeout",
  "rate_limited",
  "upstream_failed",
  "unavailable",
  "deadline_exceeded",
]);

/** The machine-readable members; a socket's refusal has them too. A 401 states why the token was refused. */
export function oracleMembers(failure: Failure): JsonObject {
  const { code, reason = code, details: [detail] = [], retryable = retryableClasses.has(code) } = failure;
  return {
    code: reason,
    ...(code === "unauthenticated" && detail !== undefined ? { reason: detail.reason } : {}),
    retryable,
  };
}

/** Problem details by RFC 9457, with the member `error` of the platform's public documentation. */
export const problemDetails: ErrorMapper = (failure, { path, requestId }, additions) => {
  const { message: detail, details = [] } = failure;
  const code = failure.reason ?? failure.code;
  const document = {
    type: problemType(code),
    title: titleOf(code),
    status: meanings[failure.code].status,
    detail,
    instance: path,
    code,
    requestId,
    errors: details.map(problemError),
    error: {
      code,
      message: detail,
      details: details.map(({ pointer, parameter, header, message }) => ({
        field: pointer ?? parameter ?? header ?? "",
        error: message,
      })),
    },
  };
  return respond(failure, "application/problem+json", document, additions);
};

export function problemType(code: string): string {
  return `urn:problem:twe:${code}`;
}

/** `Not found` of `not_found`. */
export function titleOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One member of `errors`: the reason is its `code`, the message its `detail`. */
export function problemError({ reason, message, ...place }: FailureDetail): JsonObject {
  return { ...place, code: reason, detail: message };
}

/** google.rpc.Status as a chain node's own REST endpoint prints it; `details` is always present. */
export const grpcStatus: ErrorMapper = (failure, _request, additions) => {
  const body = { code: meanings[failure.code].grpc, message: failure.message, details: [] };
  return respond(failure, "application/json", body, additions);
};

/** For the phone gateway's operators; the session endpoint itself always answers 200 with text. */
export const phoneGatewayError: ErrorMapper = (failure, { method, path }, additions) => {
  const { status, phrase } = meanings[failure.code];
  const body =
    failure.code === "not_found"
      ? { message: `Route ${method}:${path} not found`, error: phrase, statusCode: status }
      : { error: failure.code === "method_not_allowed" ? phrase : failure.message };
  return respond(failure, "application/json", body, additions);
};

function respond(failure: Failure, contentType: string, body: object, additions: Additions = {}): Response {
  const { status } = meanings[failure.code];
  const headers = wireHeaders(failure, contentType, additions);
  return new Response(JSON.stringify({ ...body, ...additions.members }), { status, headers });
}

/** The headers for a wire whose bodies another file writes. */
export function wireHeaders({ retryAfter }: Failure, contentType: string, additions: Additions = {}): Headers {
  const headers = new Headers({ "Content-Type": contentType, "Cache-Control": "no-store" });
  if (retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(retryAfter)));
  for (const [name, value] of Object.entries(additions.headers ?? {})) headers.set(name, value);
  return headers;
}
