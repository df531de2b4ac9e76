/**
 * Access control: rate limits per address, the addresses and the path secret of telecom gateways, and authentication of
 * operators. An unresponsive rate limiter allows the request.
 */
import { equalTexts } from "../../../platform/digest.ts";
import { clientAddress, networkOf } from "../../../platform/http/client-address.ts";
import { describeThrown } from "../../../platform/log.ts";
import { TOO_MANY_REQUESTS } from "../../../platform/phone-reply.ts";
import type { Admission } from "../../../platform/rate-window.ts";
import type { Exchange } from "../../../platform/surface.ts";
import { listsAddress } from "../address-list.ts";
import { readUssdConfig, type UssdConfig } from "../config.ts";

const WINDOW_SECONDS = 60;
const BEARER = /^Bearer +(\S+) *$/i;

export function addressOf(request: Request, config: UssdConfig): string {
  const { TRUST_PROXY_ENABLED: enabled, TRUST_PROXY_HOPS: hops } = config;
  return clientAddress(request, { enabled, hops });
}

/**
 * Counts a request for its address, or for the /64 network of IPv6. The operator's requests are counted separately, so
 * that others at the address cannot use up the limit. Undefined if it is not counted: no limit applies, or the limiter
 * fails.
 */
export async function countRequest(
  { env, log }: Pick<Exchange, "env" | "log">,
  config: UssdConfig,
  { address, isOperator }: { readonly address: string; readonly isOperator: boolean },
): Promise<Admission | undefined> {
  const { USSD_GATEWAY_IPS: gateways } = config;
  const isGateway = gateways.length > 0 && listsAddress(gateways, address);
  const limit = isGateway ? config.USSD_GATEWAY_RATE_PER_MINUTE : config.USSD_RATE_LIMIT_PER_MINUTE;
  if (limit === 0) return undefined;
  const counter = `${isOperator ? "ussd-operator" : "ussd"}:${networkOf(address)}`;
  try {
    return await env.RATE_LIMITER.getByName(counter).take(limit, WINDOW_SECONDS);
  } catch (thrown) {
    log.error("rate-limiter-failed", { reason: describeThrown(thrown) });
    return undefined;
  }
}

export function setLimitHeaders(headers: Headers, { admitted, limit, remaining, retryAfter }: Admission): void {
  headers.set("X-RateLimit-Limit", String(limit));
  headers.set("X-RateLimit-Remaining", String(remaining));
  // Seconds until another request is allowed, or until this one no longer counts.
  headers.set("X-RateLimit-Reset", String(admitted ? WINDOW_SECONDS : retryAfter));
  if (!admitted) headers.set("Retry-After", String(retryAfter));
}

/** The 429 of routes with JSON responses. */
export function tooManyRequests(retryAfter: number): Response {
  const message = TOO_MANY_REQUESTS.body;
  const body = { error: "Rate Limit Exceeded", message, code: "RATE_LIMIT_EXCEEDED", retryAfter };
  return Response.json(body, { status: 429, headers: { "Cache-Control": "no-store" } });
}

/** On a host that serves only this surface, `/` and `/health` count towards its limit too. */
export async function guardHost(
  request: Request,
  exchange: Exchange,
  respond: () => Promise<Response>,
): Promise<Response> {
  const config = readUssdConfig(exchange.env);
  // Health reports the faults of the configuration.
  if (!config.ok) return respond();
  const caller = { address: addressOf(request, config.value), isOperator: false };
  const counted = await countRequest(exchange, config.value, caller);
  if (counted === undefined) return respond();
  const response = counted.admitted ? await respond() : tooManyRequests(counted.retryAfter);
  setLimitHeaders(response.headers, counted);
  return response;
}

/** `secret`: the path segment that the caller sent; undefined outside `/g/`. */
export async function allowsGateway(config: UssdConfig, address: string, secret: string | undefined): Promise<boolean> {
  const { USSD_ALLOWED_IPS: allowed, USSD_PATH_SECRET: expected } = config;
  if (allowed.length > 0 && !listsAddress(allowed, address)) return false;
  if (expected === undefined || secret === undefined) return expected === secret;
  return equalTexts(secret, expected);
}

/** `disabled`: no token is configured, so operators' routes do not exist. */
export type OperatorAuth = "granted" | "denied" | "disabled";

/** `authorization`: the header's value. Compares in constant time. */
export async function authenticateOperator(
  authorization: string | undefined,
  token: string | undefined,
): Promise<OperatorAuth> {
  if (token === undefined) return "disabled";
  const presented = BEARER.exec(authorization ?? "")?.[1];
  return presented !== undefined && (await equalTexts(presented, token)) ? "granted" : "denied";
}
