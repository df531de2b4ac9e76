/** What follows when an oracle refuses a socket, and how long a client waits before it tries again. */

/** What a refusal says beside its sentence; absent of other servers. */
export interface SocketRefusal {
  readonly message: string;
  readonly code: string | undefined;
  readonly retryable: boolean | undefined;
}

export type AfterRefusal = "renew" | "later" | "stop";

/** Codes that ask for other tokens. */
const AUTHENTICATION = [
  "missing_authentication",
  "invalid_invocation",
  "invalid_delegation",
  "unauthenticated",
  "forbidden",
];
/** Milliseconds; doubled with each attempt that fails. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 30_000;

/** Milliseconds that a connection has to last, so that the next one that the oracle ends is retried as soon as the first. */
const STABLE_MS = 30_000;
/** The same of one that is lost: a proxy that ends each at once must not be asked each second. */
export const STABLE_UNTIL_LOST_MS = 5000;

/** @param lasted milliseconds. */
export function wasStable(lasted: number, isEndedByOracle: boolean): boolean {
  return lasted >= (isEndedByOracle ? STABLE_MS : STABLE_UNTIL_LOST_MS);
}

/** @param error the one of `connect_error`. */
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

/** The HTTP status of the same refusal. */
export function statusOf({ code, message }: SocketRefusal): number {
  if (code === "not_found" || message === "Session not found") return 404;
  if (code === "forbidden") return 403;
  return code !== undefined && AUTHENTICATION.includes(code) ? 401 : 400;
}

/**
 * Milliseconds before the next attempt: half of it by chance, so that the clients of a server that starts again do not all
 * come at once.
 * @param failures attempts that failed one after the other.
 * @param chance from 0 to 1.
 */
export function delayAfter(failures: number, chance: number): number {
  return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures) * (0.5 + chance / 2);
}
