/** The calls that cross the RPC boundary of a RateLimiter. There is one limiter per client address, one per phone
 * (`ussd-phone:`), those of the security notices (`ussd-sms:`), and those of the registry's reads (`registry:`). */
import type { Pace, PacedAdmission } from "../../platform/paced-budget.ts";
import type { Admission } from "../../platform/rate-window.ts";

export interface RateLimiterRpc {
  /** Counts one request. An object counts one kind of request, so callers of one object agree on the window. */
  take(limit: number, windowSeconds?: number): Promise<Admission>;
  /** Takes units of a budget that is paced by the second; negative units are returned to it. Callers of one object agree on the pace. */
  spend(units: number, pace: Pace): Promise<PacedAdmission>;
  /** Whether a request could be counted now; counts none. */
  hasRoom(limit: number, windowSeconds?: number): Promise<boolean>;
}
