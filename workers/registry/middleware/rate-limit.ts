/** Counts a request and tells its caller where he stands (contract/registry.md section 11). */
import { registryFailure } from "../failures.ts";
import type { Failure } from "../../platform/failure.ts";
import type { RegistryContext } from "../context.ts";
import { WINDOW_SECONDS, type RateKind } from "../rates.ts";

/** The refusal of a request over the limit; the headers stand on the answer either way. */
export function countRequest(c: RegistryContext, kind: RateKind, who: string): Failure | undefined {
  const { admitted, limit, remaining, retryAfter } = c.var.runtime.rates.take(kind, who);
  // The window slides, so that the whole quota is free at the latest when a window has passed.
  const seconds = admitted ? WINDOW_SECONDS : Math.max(1, retryAfter);
  const headers = {
    "RateLimit-Policy": `"${kind}";q=${limit};w=${WINDOW_SECONDS}`,
    RateLimit: `"${kind}";r=${remaining};t=${seconds}`,
  };
  c.set("rateHeaders", headers);
  if (admitted) return undefined;
  return registryFailure("rate_limited", `Too many requests; wait ${seconds} s`, {
    retryAfter: seconds,
  });
}
