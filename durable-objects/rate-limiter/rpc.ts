/** The call that crosses the RPC boundary of a RateLimiter. There is one limiter per client address, one per phone
 * (`ussd-phone:`) and those of the security notices (`ussd-sms:`). */
import type { Admission } from "../../workers/platform/rate-window.ts";

export interface RateLimiterRpc {
  /** Counts one request. An object counts one kind of request, so callers of one object agree on the window. */
  take(limit: number, windowSeconds?: number): Promise<Admission>;
}
