/**
 * Classifies a model's error as a ModelFailure. An error of the AI SDK is unwrapped from the outside in: retries hold the last
 * error, calls hold a cause, errors inside a stream are plain payloads. Only facts are taken, never texts, so that no key, address
 * or provider's text reaches a user.
 */
import type { ModelFailure } from "./model-port.ts";
import { isModelTimeout } from "./timeouts.ts";
import { AISDKError, InvalidResponseDataError, JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import { isJsonObject } from "../../platform/json.ts";

/** The failing service, as shown to the user. */
export interface FailureOrigin {
  readonly provider: string;
  readonly providerLabel: string;
}

/** Problems of the operator's account at the provider: the user cannot fix them, and should not see them. */
const ACCOUNT_STATUSES: ReadonlySet<number> = new Set([401, 402, 403]);
const ACCOUNT_CODES: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "insufficient_credits",
  "invalid_api_key",
  "account_deactivated",
]);
const RATE_CODES: ReadonlySet<string> = new Set(["rate_limit_exceeded", "rate_limit_error", "rate_limit"]);
const SERVER_CODES: ReadonlySet<string> = new Set([
  "server_error",
  "overloaded_error",
  "api_error",
  "engine_overloaded",
]);

export function classifyFailure(error: unknown, origin: FailureOrigin, now: () => number): ModelFailure {
  const trace = readErrorChain(error);
  const { status, codes } = trace;
  if ((status !== undefined && ACCOUNT_STATUSES.has(status)) || codes.some((code) => ACCOUNT_CODES.has(code)))
    return {
      kind: "unknown",
      code: "model_unavailable",
      message: "The oracle cannot use its model at the moment. Only its operator can fix this.",
      retryable: false,
      source: "platform",
      status: 500,
    };
  if (status === 408 || trace.errors.some(isTimeout)) return failed("timeout", origin, status);
  if (status === 429 || codes.some((code) => RATE_CODES.has(code))) {
    const retryAfterMs = retryAfter(trace.headers, now());
    return { ...failed("rate_limit", origin, status ?? 429), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if ((status !== undefined && status >= 500) || codes.some((code) => SERVER_CODES.has(code)) || trace.garbled)
    return failed("server", origin, status);
  if (status === undefined && trace.disconnected) return failed("network", origin, undefined);
  return { ...failed("unknown", origin, status), ...(trace.fromProvider ? {} : { source: "platform" as const }) };
}

/** An error code of a service: a single word, never a sentence that could contain a key or a user's text. */
const CODE = /^[a-z][a-z0-9_.-]{0,63}$/;

/** Why the service refused, for the log. */
export function upstreamOf(error: unknown): { readonly upstreamStatus?: number; readonly upstreamCode?: string } {
  const { status, codes } = readErrorChain(error);
  const code = codes.find((each) => CODE.test(each));
  return {
    ...(status === undefined ? {} : { upstreamStatus: status }),
    ...(code === undefined ? {} : { upstreamCode: code }),
  };
}

const sentences = {
  timeout: { retryable: true, message: "The model took too long to answer. Please try again." },
  rate_limit: { retryable: true, message: "The model is receiving too many requests. Please try again in a moment." },
  server: { retryable: true, message: "The model service failed. Please try again." },
  network: { retryable: true, message: "The connection to the model was lost. Please try again." },
  unknown: { retryable: false, message: "The model could not answer." },
} as const;

function failed(kind: keyof typeof sentences, origin: FailureOrigin, status: number | undefined): ModelFailure {
  return { kind, ...sentences[kind], source: "provider", ...origin, ...(status === undefined ? {} : { status }) };
}

function isTimeout(error: unknown): boolean {
  return isModelTimeout(error) || (error instanceof Error && error.name === "TimeoutError");
}

/** Milliseconds to wait by `retry-after-ms`, else by `Retry-After` in seconds or as an HTTP date. */
function retryAfter(headers: ErrorTrace["headers"], now: number): number | undefined {
  const exact = headers["retry-after-ms"];
  const given = headers["retry-after"];
  const milliseconds =
    exact !== undefined
      ? Number(exact)
      : given === undefined
        ? Number.NaN
        : /^\s*\d+(\.\d+)?\s*$/.test(given)
          ? Number(given) * 1000
          : Date.parse(given) - now;
  return Number.isFinite(milliseconds) ? Math.max(0, Math.ceil(milliseconds)) : undefined;
}

/** Maximum depth of nested wrappers; also ends a cycle of causes. */
const MAX_DEPTH = 10;

const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
]);
/** How Node and workerd phrase a broken connection; neither always sets an error code. */
const CONNECTION_MESSAGES =
  /^(?:terminated|fetch failed|network connection lost|internet connection lost|other side closed)/i;

export interface ErrorTrace {
  /** The error itself, then its causes. */
  readonly errors: readonly unknown[];
  /** The HTTP status of a refusal, 300 to 599. */
  readonly status: number | undefined;
  /** Codes and types in lower case, as providers and runtimes give them. */
  readonly codes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The connection failed, or broke before the end of the answer. */
  readonly disconnected: boolean;
  /** The answer does not follow the service's protocol. */
  readonly garbled: boolean;
  /** At least one error in the chain comes from a model's provider rather than from our own code. */
  readonly fromProvider: boolean;
}

function readErrorChain(error: unknown): ErrorTrace {
  const errors = unwrap(error);
  const records = errors.filter(isRecord).flatMap((link) => [link, ...payloads(link)]);
  const headers = records.map((link) => link["responseHeaders"]).find(isRecord) ?? {};
  return {
    errors,
    status: records.flatMap((link) => [link["statusCode"], link["status"], link["code"]]).find(isRefusal),
    codes: records
      .flatMap((link) => [link["code"], link["type"]])
      .filter(isText)
      .map((code) => code.toLowerCase()),
    headers: Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => isText(entry[1]))),
    disconnected: errors.some(isDisconnection),
    garbled: errors.some((link) => JSONParseError.isInstance(link) || TypeValidationError.isInstance(link)),
    fromProvider: errors.some((link) => AISDKError.isInstance(link) || !(link instanceof Error)),
  };
}

function unwrap(error: unknown): readonly unknown[] {
  const errors: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && errors.length < MAX_DEPTH;) {
    errors.push(link);
    link = isRecord(link) ? (link["lastError"] ?? link["cause"]) : undefined;
  }
  return errors;
}

/** The provider's own error object, parsed by the SDK (`data`) or still inside it (`data.error`). */
function payloads(link: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const data = link["data"];
  const inner = isRecord(data) ? data["error"] : link["error"];
  return [data, inner].filter(isRecord);
}

function isDisconnection(link: unknown): boolean {
  if (InvalidResponseDataError.isInstance(link)) return true;
  if (!(link instanceof Error)) return false;
  if ("code" in link && typeof link.code === "string" && CONNECTION_CODES.has(link.code)) return true;
  return CONNECTION_MESSAGES.test(link.message);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isRefusal(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 300 && value <= 599;
}
