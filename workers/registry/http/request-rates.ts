/**
 * Rate limits per minute for keys and networks. `authentication.ts` counts with them, and refuses with `Retry-After`.
 */
import { createExpiringCache } from "../../../platform/auth/verification-cache.ts";
import { type Admission, type RateWindow, createRateWindow } from "../../../platform/rate-window.ts";

export type RateKind = "read" | "write" | "public";

export interface RequestRates {
  /** Counts one request of `who`: a key's id, or for `public` a network with its `share` of the limit. */
  take(kind: RateKind, who: string, share?: number): Admission;
}

export const WINDOW_SECONDS = 60;

/** Maximum number of callers tracked per kind; the least recent one is evicted first. */
const CALLERS = 10_000;

/** `limits` are requests per sliding minute; `clock` returns milliseconds since 1970. */
export function createRequestRates(limits: Readonly<Record<RateKind, number>>, clock: () => number): RequestRates {
  const windows: Record<RateKind, ReturnType<typeof createExpiringCache<RateWindow>>> = {
    read: createExpiringCache(CALLERS, clock),
    write: createExpiringCache(CALLERS, clock),
    public: createExpiringCache(CALLERS, clock),
  };
  return {
    take(kind, who, share = 1) {
      const now = clock();
      const window = windows[kind].get(who) ?? createRateWindow(WINDOW_SECONDS * 1000);
      windows[kind].set(who, window, now + WINDOW_SECONDS * 1000);
      return window.take(now, limits[kind] * share);
    },
  };
}
