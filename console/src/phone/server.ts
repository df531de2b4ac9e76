/** A handset's connection to the server: one request as a telecom gateway sends it, without any of this console's keys. */
import type { FormattedRequest } from "../../../shared/gateway-formats.ts";
import type { HandsetAnswer } from "./handset-state.ts";

export interface ServerAnswer extends HandsetAnswer {
  readonly headers: Headers;
}

/** A handset's external dependencies. */
export interface HandsetServer {
  /** Undefined if there was no answer. */
  readonly send: (request: FormattedRequest) => Promise<ServerAnswer | undefined>;
  readonly newSessionId: () => string;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Milliseconds after which even slow gateways hang up. */
const REPLY_TIMEOUT = 15_000;

export const browserServer: HandsetServer = {
  async send({ path, ...init }) {
    const started = performance.now();
    try {
      const response = await fetch(path, {
        ...init,
        // A redirect would send the typed text to another server.
        redirect: "error",
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(REPLY_TIMEOUT),
      });
      const text = await response.text();
      const seconds = Number(response.headers.get("Retry-After") ?? NaN);
      return {
        status: response.status,
        text,
        milliseconds: Math.round(performance.now() - started),
        requestId: response.headers.get("X-Request-Id") ?? undefined,
        retryAfter: Number.isFinite(seconds) ? seconds : undefined,
        headers: response.headers,
      };
    } catch {
      return undefined;
    }
  },
  newSessionId: () => `console-${crypto.randomUUID()}`,
  wait: (milliseconds) =>
    milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds)),
  now: () => Date.now(),
};
