/** The errors of a request. */
import { readErrorBody, textIn } from "../../../shared/error-body.ts";

/** The oracle refused a request: the status, a sentence and a machine-readable code. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** One machine-readable word, such as `invalid_invocation`; undefined if a proxy responded. */
  readonly code: string | undefined;
  /** For a 401: why the token was refused, such as `expired`. */
  readonly reason: string | undefined;
  readonly retryable: boolean | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs: number | undefined;
  /** For a 402: the usage claims that must be paid. */
  readonly claims: string[] | undefined;
  /** For a 402: the same list under the name that older clients read. */
  readonly outstandingClaims: string[] | undefined;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly code?: string | undefined;
      readonly reason?: string | undefined;
      readonly retryable?: boolean | undefined;
      readonly requestId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly claims?: string[] | undefined;
    },
  ) {
    super(message);
    this.status = facts.status;
    this.code = facts.code;
    this.reason = facts.reason;
    this.retryable = facts.retryable;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
    this.claims = facts.claims;
    this.outstandingClaims = facts.claims;
  }
}

/** No server answered: no network, no server, or a proxy that timed out. The request can be retried. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";
  /** Always true: an `OfflineError` can be retried. */
  readonly retryable = true;
}

/** The milliseconds that the oracle, or a proxy before it, asks to wait. */
export function retryAfterOf(error: unknown): number {
  const refusal = error instanceof OfflineError ? error.cause : error;
  return refusal instanceof RequestError ? (refusal.retryAfterMs ?? 0) : 0;
}

/** Milliseconds without a byte after which a response body is abandoned, so that later work does not wait forever. */
export const BODY_SILENCE_MS = 30_000;

/** Parses a body as JSON. Throws if it is not JSON or stalls. */
export async function jsonOf(response: Response): Promise<unknown> {
  return JSON.parse(await textOf(response));
}

async function textOf({ body }: Response): Promise<string> {
  let text = "";
  if (body !== null) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await nextOf(reader); !part.done; part = await nextOf(reader)) text += part.value;
  }
  return text;
}

function nextOf(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  // Cancelling ends the body early, so the incomplete text fails to parse as JSON.
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), BODY_SILENCE_MS);
  return reader.read().finally(() => clearTimeout(timer));
}

/** Converts a thrown value to an error. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The first status that a gateway returns if its upstream did not answer. A 500 comes from the server itself. */
const GATEWAY_STATUS = 501;

/** Converts a response that is not `ok` to an error. Reads its body and quotes only members of a JSON object. */
export async function refusalOf(response: Response): Promise<RequestError | OfflineError> {
  const { members, code, requestId, retryAfterMs } = readErrorBody(
    await textOf(response).catch(() => ""),
    response.headers,
  );
  const { statusCode, message, reason, retryable } = members;
  const status = isStatus(statusCode) ? statusCode : response.status;
  const error = new RequestError(textIn(message) ?? `The oracle answered ${status}.`, {
    status,
    code,
    reason: textIn(reason),
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    requestId,
    retryAfterMs,
    claims: texts(members["claims"]) ?? texts(members["outstandingClaims"]),
  });
  if (status <= GATEWAY_STATUS || Object.hasOwn(members, "message")) return error;
  return new OfflineError("The oracle could not be reached.", { cause: error });
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) < 600;
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}

/** A turn that the oracle had accepted failed. */
export class TurnError extends Error {
  override readonly name = "TurnError";
  /** The kind of the failure, such as `rate_limit` or `budget_exhausted`. */
  readonly kind: string;
  /** One machine-readable word, more specific than `kind`. */
  readonly code: string;
  /** Whether sending the message again may succeed. */
  readonly retryable: boolean;
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    facts: {
      readonly kind: string;
      readonly code: string;
      readonly retryable: boolean;
      readonly retryAfterMs?: number | undefined;
    },
  ) {
    super(message);
    this.kind = facts.kind;
    this.code = facts.code;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
  }
}
