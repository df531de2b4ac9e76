/**
 * The body of a refusal in the forms of all surfaces: the registry's problem+json, the JSON of the oracle and the phone
 * gateway, the query gateway's gRPC status. Headers supply what the body omits.
 */
import { membersOf, parsedJson } from "./json-members.ts";

export interface ErrorBody {
  /** The members of the JSON object; empty for another body. */
  readonly members: Readonly<Record<string, unknown>>;
  /** A sentence for people. */
  readonly sentence: string | undefined;
  /** A code for programs. */
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds until the request can be retried. */
  readonly retryAfterMs: number | undefined;
}

export function readErrorBody(text: string, headers: Headers): ErrorBody {
  const members = membersOf(parsedJson(text));
  const { detail, message, error, code, requestId, retryAfterMs } = members;
  return {
    members,
    sentence: textIn(detail) ?? textIn(message) ?? textIn(error),
    code: textIn(code),
    requestId: textIn(requestId) ?? headers.get("X-Request-Id") ?? undefined,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : waitIn(headers.get("Retry-After")),
  };
}

/** The text, if it is not empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `Retry-After` in milliseconds: seconds, or a date. */
function waitIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
