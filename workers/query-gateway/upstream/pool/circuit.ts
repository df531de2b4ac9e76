/**
 * A circuit breaker. It opens after so many failures in a row within a window, and then lets one probe through at a time
 * until one succeeds.
 */
import type { UpstreamSettings } from "../upstream.ts";

export interface Circuit {
  /** Whether a request may pass. */
  readonly admits: () => boolean;
  /** Call it with each request, also with one that passes an open circuit; true when the request is a probe. */
  readonly begin: () => boolean;
  readonly succeed: () => void;
  readonly fail: (isProbe: boolean) => void;
  /** The request was given up; it says nothing. */
  readonly forget: (isProbe: boolean) => void;
  /** Milliseconds until a request may pass; 0 when one may. */
  readonly opensIn: () => number;
  readonly state: () => "ok" | "open" | "probing";
}

export function createCircuit(
  { failures, windowMs, openMs }: UpstreamSettings["breaker"],
  clock: () => number,
): Circuit {
  let failedAt: readonly number[] = [];
  let openUntil: number | undefined;
  let probedAt: number | undefined;

  /** A probe whose request was torn down with its caller never settles; it must not keep the circuit open for good. */
  const isProbing = () => probedAt !== undefined && clock() - probedAt < openMs;
  const admits = () => openUntil === undefined || (clock() >= openUntil && !isProbing());
  const forget = (isProbe: boolean): void => {
    if (isProbe) probedAt = undefined;
  };

  return {
    admits,
    begin: () => {
      if (openUntil === undefined) return false;
      probedAt = clock();
      return true;
    },
    succeed: () => {
      failedAt = [];
      openUntil = undefined;
      probedAt = undefined;
    },
    fail: (isProbe) => {
      forget(isProbe);
      const now = clock();
      failedAt = [...failedAt.filter((at) => now - at < windowMs), now];
      // A request that was under way when the circuit opened says nothing new.
      if (openUntil !== undefined && !isProbe) return;
      if (isProbe || failedAt.length >= failures) openUntil = now + openMs;
    },
    forget,
    opensIn: () => (admits() ? 0 : Math.max(0, (openUntil ?? 0) - clock())),
    state: () => {
      if (openUntil === undefined) return "ok";
      return isProbing() ? "probing" : "open";
    },
  };
}
