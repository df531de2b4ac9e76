/** What a request can fail with. */
import { readErrorBody, textIn } from "../../../shared/error-body.ts";

/** A refusal by the oracle: its status, its sentence and its word for programs. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  /** One word for programs, such as `invalid_invocation`; absent when a proxy answered. */
  readonly code: string | undefined;
  /** Of a 401: why the token was refused, such as `expired`. */
  readonly reason: string | undefined;
  readonly retryable: boolean | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds until it may be tried again. */
  readonly retryAfterMs: number | undefined;
  /** Of a 402: the claims that have to be paid. */
  readonly claims: string[] | undefined;
  /** Of a 402: the same list, as older clients read it. */
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

/** Nobody answered: no network, no server, or a proxy that gave up. The request may be repeated. */
export class OfflineError extends Error {
  override readonly name = "OfflineError";
  /** May always be tried again. */
  readonly retryable = true;
}

/** The milliseconds that the oracle, or what stands before it, asks to wait. */
export function retryAfterOf(error: unknown): number {
  const refusal = error instanceof OfflineError ? error.cause : error;
  return refusal instanceof RequestError ? (refusal.retryAfterMs ?? 0) : 0;
}

/** Milliseconds without a byte after which the body of an answer is given up, so that nothing waits behind it for ever. */
export const BODY_SILENCE_MS = 30_000;

/** The JSON of a body; throws when it is no JSON, or stalls. */
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
  // The end of a cancelled body: what arrived is no whole JSON.
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), BODY_SILENCE_MS);
  return reader.read().finally(() => clearTimeout(timer));
}

/** What was thrown, as an error. */
export const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The first status by which a gateway says that the server behind it did not answer; below it is the server's own 500. */
const GATEWAY_STATUS = 501;

/** What a response that is not `ok` means. Reads its body, of which nothing but a JSON object's own members is quoted. */
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

/** Why a turn failed that the oracle had accepted. */
export class TurnError extends Error {
  override readonly name = "TurnError";
  /** What kind of failure, such as `rate_limit` or `budget_exhausted`. */
  readonly kind: string;
  /** One word for programs, narrower than `kind`. */
  readonly code: string;
  /** Whether sending the message again may help. */
  readonly retryable: boolean;
  /** Milliseconds until it may be tried again. */
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
