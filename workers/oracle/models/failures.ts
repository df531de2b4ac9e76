/**
 * What went wrong with a model, in the words of contract/oracle.md section 4.3. Wrapped errors are opened from the
 * outside in; sentences are ours alone, so that no key, address or provider's text reaches a user. An abort by the
 * user is no failure: the turn engine ends it before it asks here.
 */
import type { ModelFailure } from "../../../durable-objects/chat-session/model-port.ts";
import { isSilence } from "./deadline.ts";
import { readErrorChain, type ErrorTrace } from "./error-chain.ts";

/** Who the failing service is, for the user's eyes. */
export interface FailureOrigin {
  readonly provider: string;
  readonly providerLabel: string;
}

/** The operator's own account at the provider: nothing that the user could mend, nor should know. */
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
      message: "The oracle cannot use its model at the moment. Its operator has to look into it.",
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

/** A code as services have them: a word, never a sentence that could hold a key or a user's text. */
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
  return isSilence(error) || (error instanceof Error && error.name === "TimeoutError");
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
