/**
 * A failed resolution: a result without a document, whatever the client requested (W3C DID Resolution, section 4.1).
 */
import {
  problemType,
  titleOf,
  wireHeaders,
  wireMeaningOf,
  type ErrorMapper,
} from "../../../platform/http/error-bodies.ts";
import { errorType } from "./negotiation.ts";
import { isResolutionReason } from "./options.ts";

export const resolutionHeaders = { Vary: "Accept", "Cache-Control": "no-cache" };

/** The standard has no name for faults of the request itself, such as its key or its rate. */
export function resolutionProblem(accept: string | undefined): ErrorMapper {
  return (failure, { requestId }, additions) => {
    const { code, reason = code, message: detail } = failure;
    const { status } = wireMeaningOf(code);
    const headers = wireHeaders(failure, errorType(accept), additions);
    headers.set("Vary", resolutionHeaders.Vary);
    const isStandard = isResolutionReason(failure.reason);
    if (isStandard) headers.set("Cache-Control", resolutionHeaders["Cache-Control"]);
    const type = isStandard
      ? `https://www.w3.org/ns/did#${reason}`
      : status >= 500
        ? "https://www.w3.org/ns/did#INTERNAL_ERROR"
        : problemType(reason);
    const error = { type, title: titleOf(reason.toLowerCase()), detail, ...(isStandard ? {} : { requestId }) };
    const body = { didResolutionMetadata: { error }, didDocument: null, didDocumentMetadata: {} };
    return new Response(JSON.stringify(body), { status, headers });
  };
}
