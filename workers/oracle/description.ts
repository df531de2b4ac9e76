/** What the descriptions of the oracle's operations have in common: security, errors, headers. */
import { errorBody, unauthorizedBody } from "../../protocol/errors.ts";
import type { Operation, OperationResponse } from "../platform/openapi.ts";
import type { ApiDescription } from "../platform/openapi.ts";

/** Either an invocation with its marker header, or a delegation alone (contract/oracle.md section 2.4). */
export const signedInSecurity: Operation["security"] = [["invocation", "authType"], ["delegation"]];
export const publicSecurity: Operation["security"] = [];

export const securitySchemes: ApiDescription["securitySchemes"] = {
  invocation: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "UCAN 0.9.1",
    description: "Base64 CAR of a UCAN invocation signed by the user; read only together with `X-Auth-Type: ucan`.",
  },
  authType: { type: "apiKey", in: "header", name: "X-Auth-Type", description: "The literal value `ucan`." },
  delegation: {
    type: "apiKey",
    in: "header",
    name: "x-ucan-delegation",
    description: "Base64 CAR of a user-to-oracle delegation; accepted alone, or beside an invocation.",
  },
};

const phrases = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  408: "Request Timeout",
  409: "Conflict",
  413: "Payload Too Large",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
} as const;

/** The refusals of an operation: status to the message that an example shows. */
export function refusals(
  messages: Partial<Record<keyof typeof phrases, string>>,
): Readonly<Record<number, OperationResponse>> {
  return Object.fromEntries(
    Object.entries(messages).map(([status, message]) => {
      const error = phrases[Number(status) as keyof typeof phrases];
      const example = { statusCode: Number(status), message, error, requestId: "req-42" };
      if (Number(status) !== 401) return [status, { description: error, content: { schema: errorBody, example } }];
      const told = { ...example, code: "invalid_invocation", reason: "expired" };
      return [status, { description: error, content: { schema: unauthorizedBody, example: told } }];
    }),
  );
}

/** The refusals of every operation that knows its caller, and its own. */
export function signedInRefusals(messages: Parameters<typeof refusals>[0] = {}) {
  return refusals({
    401: "Invalid UCAN invocation",
    429: "Too many requests",
    503: "Identity resolution unavailable",
    ...messages,
  });
}
