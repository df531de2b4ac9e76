/** How DID resolution refuses: a result without a document, whatever was asked for (W3C DID Resolution, section 4.1). */
import {
  problemType,
  titleOf,
  wireHeaders,
  wireMeaningOf,
  type ErrorMapper,
} from "../../platform/http/error-bodies.ts";
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
  const error = { type: `https://www.w3.org/ns/did#${code}`, title: titleOf(code.toLowerCase()), detail };
  return answer(error, statuses[code], { ...resolutionHeaders, "Content-Type": errorType(accept) });
}

/** What is wrong with the request around the resolution, such as its key or its rate; the codes of W3C have no word for it. */
export function resolutionProblem(accept: string | undefined): ErrorMapper {
  return (failure, { requestId }, additions) => {
    const { code, reason = code, message: detail } = failure;
    const { status } = wireMeaningOf(code);
    const type = status >= 500 ? "https://www.w3.org/ns/did#INTERNAL_ERROR" : problemType(reason);
    const headers = wireHeaders(failure, errorType(accept), additions);
    headers.set("Vary", resolutionHeaders.Vary);
    return answer({ type, title: titleOf(reason), detail, requestId }, status, headers);
  };
}

function answer(error: object, status: number, headers: HeadersInit): Response {
  const body = { didResolutionMetadata: { error }, didDocument: null, didDocumentMetadata: {} };
  return new Response(JSON.stringify(body), { status, headers });
}
