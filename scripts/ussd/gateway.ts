/**
 * The telecom gateway between a phone and the service: one request for each press, the reply read back. It keeps what
 * was typed in a call, since it is the gateway that sends it, all of it or only the latest.
 */
import { unreachable } from "../server-address.ts";
import type { Dialect, Reply, TextMode } from "./dialect.ts";
import { exitCodes, UssdFailure } from "./failure.ts";

/** Milliseconds: the most patient gateways hang up after so long. */
const REPLY_LIMIT_MS = 15_000;
/** Seconds to wait when a refusal does not say how long. */
const DEFAULT_RETRY_SECONDS = 1;

export interface GatewayParts {
  /** The server, without a trailing slash. */
  readonly url: string;
  /** Where the endpoint is gated (`USSD_PATH_SECRET`), its secret. */
  readonly pathSecret: string | undefined;
  readonly dialect: Dialect;
  readonly mode: TextMode;
  readonly fetch: typeof fetch;
  readonly newSessionId: () => string;
  readonly interrupted: AbortSignal;
}

/** The reply, or how many seconds the service wants to be left alone. A refused press has changed nothing. */
export type Answer = Reply | { readonly kind: "wait"; readonly seconds: number };

export interface Call {
  readonly sessionId: string;
  /** What was sent last. */
  readonly text: string;
  /** Sends one input, empty for none. @throws UssdFailure when what comes back is no reply. */
  press(input: string): Promise<Answer>;
  /** The last request once more, as a gateway repeats it. */
  again(): Promise<Answer>;
}

/** A new call; nothing is sent before `press`, whose first input is what is dialled behind the code. */
export function openCall(parts: GatewayParts, phoneNumber: string, serviceCode: string): Call {
  const sessionId = parts.newSessionId();
  let [text, isDialled, wasDial, sequence] = ["", false, true, 0];

  async function request(next: string, isDial: boolean, number: number): Promise<Answer> {
    const answer = await exchange(parts, { sessionId, phoneNumber, serviceCode, text: next, isDial, sequence: number });
    if (answer.kind !== "wait") [text, isDialled, wasDial, sequence] = [next, true, isDial, number];
    return answer;
  }

  return {
    sessionId,
    get text() {
      return text;
    },
    press: (input) => request(isDialled ? textAfter(text, input, parts.mode) : input, !isDialled, sequence + 1),
    again: () => request(text, wasDial, sequence),
  };
}

function textAfter(text: string, input: string, mode: TextMode): string {
  return mode === "latest" || text === "" ? input : `${text}*${input}`;
}

async function exchange(parts: GatewayParts, press: Parameters<Dialect["request"]>[0]): Promise<Answer> {
  const { url, pathSecret, dialect, fetch, interrupted } = parts;
  const { method, path, headers, body } = dialect.request(press);
  const endpoint = `${url}/api/ussd${pathSecret === undefined ? "" : `/g/${pathSecret}`}${path}`;
  let response: Response;
  let text: string;
  try {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(REPLY_LIMIT_MS)]);
    // A redirect would carry what was typed to another place.
    response = await fetch(endpoint, {
      method,
      headers,
      signal,
      redirect: "error",
      ...(body === undefined ? {} : { body }),
    });
    text = await response.text();
  } catch (error) {
    if (interrupted.aborted) throw new UssdFailure(exitCodes.interrupted, "interrupted");
    throw new UssdFailure(
      exitCodes.unreachable,
      isLate(error) ? `The server at ${url} gave ${TOO_LATE}` : unreachable(url, error),
    );
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get("Retry-After") ?? DEFAULT_RETRY_SECONDS);
    return { kind: "wait", seconds: Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_RETRY_SECONDS };
  }
  const reply = response.ok ? dialect.reply(text, response.headers) : undefined;
  if (reply === undefined) {
    throw new UssdFailure(exitCodes.failed, `no reply for a phone but ${response.status}: ${excerpt(text)}`);
  }
  return reply;
}

/** Characters of an answer that is none. */
const EXCERPT_LENGTH = 200;

function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}...` : text;
}

const TOO_LATE = `no reply within ${REPLY_LIMIT_MS / 1_000} s, after which a gateway hangs up`;

function isLate(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
