/** How a client reacts if an oracle refuses a socket, and how long it waits before a retry. */

/** The details of a refusal; other servers may omit them. */
export interface SocketRefusal {
  readonly message: string;
  readonly code: string | undefined;
  readonly retryable: boolean | undefined;
}

export type AfterRefusal = "renew" | "later" | "stop";

/** Codes that require new tokens. */
const AUTHENTICATION = [
  "missing_authentication",
  "invalid_invocation",
  "invalid_delegation",
  "unauthenticated",
  "forbidden",
];
/** Milliseconds. The wait doubles with each failed attempt. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/**
 * Milliseconds that a connection must last. If the oracle ends it after that, the client retries as quickly as the
 * first time.
 */
const STABLE_MS = 30_000;
/**
 * The same limit for a lost connection, so that the client does not retry every second through a proxy that ends each
 * connection at once.
 */
export const STABLE_UNTIL_LOST_MS = 5000;

/** @param lasted milliseconds. */
export function wasStable(lasted: number, isEndedByOracle: boolean): boolean {
  return lasted >= (isEndedByOracle ? STABLE_MS : STABLE_UNTIL_LOST_MS);
}

/** @param error the error of `connect_error`. */
export function readRefusal(error: Error & { readonly data?: unknown }): SocketRefusal {
  const data = (typeof error.data === "object" && error.data !== null ? error.data : {}) as Record<string, unknown>;
  const { code, retryable } = data;
  return {
    message: error.message,
    code: typeof code === "string" ? code : undefined,
    retryable: typeof retryable === "boolean" ? retryable : undefined,
  };
}

export function afterRefusal({ code, retryable, message }: SocketRefusal): AfterRefusal {
  if (retryable === false) return "stop";
  if (code === undefined ? message.startsWith("Unauthorized") : AUTHENTICATION.includes(code)) return "renew";
  return retryable === true ? "later" : "stop";
}

/** The HTTP status of an equivalent refusal. */
export function statusOf({ code, message }: SocketRefusal): number {
  if (code === "not_found" || message === "Session not found") return 404;
  if (code === "forbidden") return 403;
  return code !== undefined && AUTHENTICATION.includes(code) ? 401 : 400;
}

/**
 * Milliseconds before the next attempt. Half of it is random, so that the clients of a restarted server do not all
 * reconnect at once.
 * @param failures consecutive failed attempts.
 * @param chance from 0 to 1.
 */
export function delayAfter(failures: number, chance: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + chance / 2);
}
