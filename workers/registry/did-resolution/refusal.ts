/** How DID resolution refuses: a result without a document, whatever was asked for (W3C DID Resolution, section 4.1). */
import { statusOf, type Problem } from "../problem.ts";
import { errorType } from "./negotiation.ts";
import type { ResolutionError } from "./options.ts";

export const resolutionHeaders = { Vary: "Accept", "Cache-Control": "no-cache" };

const statuses = {
  INVALID_DID: 400,
  INVALID_OPTIONS: 400,
  NOT_FOUND: 404,
  REPRESENTATION_NOT_SUPPORTED: 406,
  METHOD_NOT_SUPPORTED: 501,
  FEATURE_NOT_SUPPORTED: 501,
} as const satisfies Readonly<Record<ResolutionError, number>>;

export function resolutionError(code: ResolutionError, detail: string, accept: string | undefined): Response {
  const error = { type: `https://www.w3.org/ns/did#${code}`, title: titleOf(code), detail };
  return answer(error, statuses[code], accept);
}

/** What is wrong with the request around the resolution, such as its key or its rate; the codes of W3C have no word for it. */
export function resolutionProblem(
  { code, detail, headers = {} }: Problem,
  { accept, requestId }: { readonly accept: string | undefined; readonly requestId: string },
): Response {
  const status = statusOf(code);
  const type = status >= 500 ? "https://www.w3.org/ns/did#INTERNAL_ERROR" : `urn:problem:twe:${code}`;
  return answer({ type, title: titleOf(code), detail, requestId }, status, accept, {
    "Cache-Control": "no-store",
    ...headers,
  });
}

function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function answer(
  error: object,
  status: number,
  accept: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body = { didResolutionMetadata: { error }, didDocument: null, didDocumentMetadata: {} };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...resolutionHeaders, "Content-Type": errorType(accept), ...headers },
  });
}
