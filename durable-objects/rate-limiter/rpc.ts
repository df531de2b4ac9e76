/**
 * The RPC interface of a RateLimiter. There is one limiter per client address, one per phone (`ussd-phone:`), limiters
 * of the security notices (`ussd-sms:`), and limiters of the registry's reads (`registry:`).
 */
import type { Pace, PacedAdmission } from "../../platform/paced-budget.ts";
import type { Admission } from "../../platform/rate-window.ts";

export interface RateLimiterRpc {
  /** Counts one request. An object counts one kind of request, so its callers must use one window. */
  take(limit: number, windowSeconds?: number): Promise<Admission>;
  /**
   * Takes units of a budget that refills by the second; negative units are returned to it. All callers of one object
   * must use one pace.
   */
  spend(units: number, pace: Pace): Promise<PacedAdmission>;
  /** Whether a request would be admitted now; counts nothing. */
  hasRoom(limit: number, windowSeconds?: number): Promise<boolean>;
}
