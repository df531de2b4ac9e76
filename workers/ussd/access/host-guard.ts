/**
 * The limit per address on what a host answers beside this surface when it serves this one alone: `/`, `/health` and their
 * like (decisions 1.7). The count is that of the gateway's own routes.
 */
import { clientAddress } from "../../platform/http/client-address.ts";
import type { Exchange } from "../../platform/surface.ts";
import { readUssdConfig } from "../config.ts";
import { tooManyRequests } from "../replies.ts";
import { admit, tellLimit } from "./request-limit.ts";

export async function guardHost(
  request: Request,
  exchange: Exchange,
  answer: () => Promise<Response>,
): Promise<Response> {
  const config = readUssdConfig(exchange.env);
  // Health has to tell what is wrong with it.
  if (!config.ok) return answer();
  const { TRUST_PROXY_ENABLED: enabled, TRUST_PROXY_HOPS: hops } = config.value;
  const admission = await admit(exchange, config.value, clientAddress(request, { enabled, hops }));
  if (admission === undefined) return answer();
  const response = admission.admitted ? await answer() : tooManyRequests(admission.retryAfter);
  tellLimit(response.headers, admission);
  return response;
}
