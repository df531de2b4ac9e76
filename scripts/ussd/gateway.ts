/**
 * The telecom gateway between a phone and the service: one request per input, and its parsed reply. The gateway stores a call's
 * inputs, since it sends all of them or only the latest.
 */
import { unreachable } from "../server-address.ts";
import { ENDPOINT, type GatewayFormat, type Reply, type Step, type TextMode } from "../../shared/gateway-formats.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the run with an exit code and a sentence for the user. */
export class UssdFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Milliseconds after which even slow gateways hang up. */
const REPLY_TIMEOUT_MS = 15_000;
/** Seconds, if a 429 names no time. */
const DEFAULT_RETRY_SECONDS = 1;
/** Characters of an unreadable response that are printed. */
const EXCERPT_LENGTH = 200;

export interface GatewayOptions {
  /** The server, without a trailing slash. */
  readonly url: string;
  /** The value of `USSD_PATH_SECRET`, if the endpoint is below it. */
  readonly pathSecret: string | undefined;
  readonly format: GatewayFormat;
  readonly mode: TextMode;
  readonly fetch: typeof fetch;
  readonly newSessionId: () => string;
  readonly interrupted: AbortSignal;
}

/** The reply, or for how many seconds the rate limit applies. A rate-limited request has changed nothing. */
export type GatewayOutcome = Reply | { readonly kind: "wait"; readonly seconds: number };

export interface Call {
  readonly sessionId: string;
  /** The last sent text. */
  readonly text: string;
  /** Sends one input, empty for none; the first one is the dialled text after the code. @throws UssdFailure */
  send(input: string): Promise<GatewayOutcome>;
  /** Sends the last request once more, as a gateway retries it. */
  repeat(): Promise<GatewayOutcome>;
}

/** A new call; nothing is sent before `send`. */
export function openCall(options: GatewayOptions, phoneNumber: string, serviceCode: string): Call {
  const sessionId = options.newSessionId();
  let last = { text: "", isDial: true, sequence: 0 };

  async function request(next: typeof last): Promise<GatewayOutcome> {
    const outcome = await exchange(options, { sessionId, phoneNumber, serviceCode, ...next });
    if (outcome.kind !== "wait") last = next;
    return outcome;
  }

  return {
    sessionId,
    get text() {
      return last.text;
    },
    send(input) {
      const { text, sequence } = last;
      const isAppended = options.mode === "cumulative" && text !== "";
      return request({
        text: isAppended ? `${text}*${input}` : input,
        isDial: sequence === 0,
        sequence: sequence + 1,
      });
    },
    repeat: () => request(last),
  };
}

async function exchange(options: GatewayOptions, step: Step): Promise<GatewayOutcome> {
  const { pathSecret, format, interrupted } = options;
  const { path, ...init } = format.request(step);
  const below = pathSecret === undefined ? ENDPOINT : `${ENDPOINT}/g/${pathSecret}`;
  const endpoint = `${options.url}${below}${path.slice(ENDPOINT.length)}`;
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(REPLY_TIMEOUT_MS)]);
  let response: Response;
  let text: string;
  try {
    // A redirect would send the typed text to another server.
    response = await options.fetch(endpoint, { ...init, signal, redirect: "error" });
    text = await response.text();
  } catch (error) {
    throw failureOf(error, options);
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get("Retry-After"));
    return { kind: "wait", seconds: seconds > 0 && Number.isFinite(seconds) ? seconds : DEFAULT_RETRY_SECONDS };
  }
  const reply = response.ok ? format.reply(text, response.headers) : undefined;
  if (reply !== undefined) return reply;
  const excerpt = text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}...` : text;
  throw new UssdFailure(exitCodes.failed, `not a reply for a phone: HTTP ${response.status}, ${excerpt}`);
}

function failureOf(error: unknown, { url, interrupted }: GatewayOptions): UssdFailure {
  if (interrupted.aborted) return new UssdFailure(exitCodes.interrupted, "interrupted");
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const seconds = REPLY_TIMEOUT_MS / 1_000;
  const timeout = `The server at ${url} gave no reply within ${seconds} s, after which a gateway hangs up`;
  return new UssdFailure(exitCodes.unreachable, isTimeout ? timeout : unreachable(url, error));
}
