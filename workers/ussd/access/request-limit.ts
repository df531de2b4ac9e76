/**
 * Requests per minute of one client address over all of the gateway's routes, counted exactly by a RateLimiter
 * (contract/ussd.md section 9, decisions 1.7). A limiter that cannot be asked lets the request pass.
 */
import { describeThrown } from "../../platform/log.ts";
import type { Admission } from "../../platform/rate-window.ts";
import type { Exchange } from "../../platform/surface.ts";
import { listsAddress } from "./address-list.ts";
import type { UssdConfig } from "../config.ts";

const WINDOW_SECONDS = 60;

type LimitConfig = Pick<UssdConfig, "USSD_GATEWAY_IPS" | "USSD_GATEWAY_RATE_PER_MINUTE" | "USSD_RATE_LIMIT_PER_MINUTE">;

/** Undefined when it is not counted: the address has no limit, or the limiter cannot be asked. */
export async function admit(
  { env, log }: Pick<Exchange, "env" | "log">,
  config: LimitConfig,
  address: string,
): Promise<Admission | undefined> {
  const isGateway = listsAddress(config.USSD_GATEWAY_IPS, address);
  const limit = isGateway ? config.USSD_GATEWAY_RATE_PER_MINUTE : config.USSD_RATE_LIMIT_PER_MINUTE;
  if (limit === 0) return undefined;
  try {
    return await env.RATE_LIMITER.getByName(`ussd:${address}`).take(limit, WINDOW_SECONDS);
  } catch (thrown) {
    log.error("rate-limiter-failed", { reason: describeThrown(thrown) });
    return undefined;
  }
}

/** In the headers of an answer. */
export function tellLimit(headers: Headers, { admitted, limit, remaining, retryAfter }: Admission): void {
  headers.set("X-RateLimit-Limit", String(limit));
  headers.set("X-RateLimit-Remaining", String(remaining));
  // Seconds until one more is possible, or until this one counts no more.
  headers.set("X-RateLimit-Reset", String(admitted ? WINDOW_SECONDS : retryAfter));
  if (!admitted) headers.set("Retry-After", String(retryAfter));
}
