/**
 * One mapper per wire from a fault to the response that the wire's clients know: the oracle's JSON body, the
 * registry's problem+json (RFC 9457), the query gateway's gRPC status JSON and the phone gateway's JSON.
 */
import { httpMeaningOf, type Fault, type FaultCode } from "../errors.ts";

export interface FailedRequest {
  readonly method: string;
  /** The raw path as it was asked for. */
  readonly path: string;
  readonly requestId: string;
}

export type ErrorMapper = (fault: Fault, request: FailedRequest) => Response;

/** `{statusCode,message,error,requestId}`: clients of the oracle read the status from the body. */
export const oracleError: ErrorMapper = (fault, { requestId }) => {
  const { status, phrase } = httpMeaningOf(fault.code);
  return respond(fault, "application/json", {
    statusCode: status,
    message: fault.message,
    error: phrase,
    requestId,
    ...fault.members,
  });
};

/** RFC 9457 for what the dispatcher itself refuses; the registry's own problems have codes of their own. */
export const problemDetails: ErrorMapper = (fault, { path, requestId }) => {
  const { code, message: detail } = fault;
  const document = problemDocument({ code, detail, status: httpMeaningOf(code).status, path, requestId, errors: [] });
  return respond(fault, "application/problem+json", { ...document, ...fault.members });
};

export interface ProblemParts {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly path: string;
  readonly requestId: string;
  readonly errors: readonly {
    readonly code: string;
    readonly detail: string;
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
  }[];
}

/** The body of a problem, with the member `error` that the platform's public documentation shows. */
export function problemDocument({ code, status, detail, path, requestId, errors }: ProblemParts): object {
  const words = code.replaceAll("_", " ");
  return {
    type: `urn:problem:twe:${code}`,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    status,
    detail,
    instance: path,
    code,
    requestId,
    errors,
    error: {
      code,
      message: detail,
      details: errors.map(({ pointer, parameter, header, detail: told }) => ({
        field: pointer ?? parameter ?? header ?? "",
        error: told,
      })),
    },
  };
}

const grpcCodes: Readonly<Record<FaultCode, number>> = {
  invalid_request: 3,
  unauthenticated: 16,
  payment_required: 9,
  forbidden: 7,
  not_found: 5,
  method_not_allowed: 12,
  conflict: 10,
  gone: 5,
  request_timeout: 4,
  too_large: 8,
  rate_limited: 8,
  internal: 13,
  not_implemented: 12,
  upstream_failed: 14,
  unavailable: 14,
};

/** google.rpc.Status as a chain node's own REST endpoint prints it; `details` is never missing. */
export const grpcStatus: ErrorMapper = (fault) =>
  respond(fault, "application/json", { code: grpcCodes[fault.code], message: fault.message, details: [] });

/** What the phone gateway's operators know; the session endpoint itself always answers 200 text (contract/ussd.md). */
export const phoneGatewayError: ErrorMapper = (fault, { method, path }) => {
  const { status, phrase } = httpMeaningOf(fault.code);
  const body =
    fault.code === "not_found"
      ? { message: `Route ${method}:${path} not found`, error: phrase, statusCode: status }
      : { error: fault.code === "method_not_allowed" ? phrase : fault.message };
  return respond(fault, "application/json", body);
};

function respond(fault: Fault, contentType: string, body: object): Response {
  const headers = new Headers({ "Content-Type": contentType, "Cache-Control": "no-store" });
  if (fault.retryAfter !== undefined) headers.set("Retry-After", String(Math.ceil(fault.retryAfter)));
  if (fault.allow !== undefined) headers.set("Allow", fault.allow.join(", "));
  return new Response(JSON.stringify(body), { status: httpMeaningOf(fault.code).status, headers });
}
