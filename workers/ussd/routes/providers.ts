/**
 * The same sessions for gateways that speak otherwise (contract/ussd.md section 14, decisions 4.10). An adapter reads and
 * prints; limits, addresses and validation are those of the session endpoint.
 */
import { readBody } from "../../platform/http/body.ts";
import { newFailure } from "../../platform/failure.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS } from "../../platform/phone-reply.ts";
import { inBackground, refuse, unknownRoute, type UssdContext } from "../context.ts";
import type { ProviderAdapter, ProviderResponse } from "../providers/adapter.ts";
import { africasTalking } from "../providers/africas-talking.ts";
import { airtel } from "../providers/airtel.ts";
import { hubtel } from "../providers/hubtel.ts";
import { infobip } from "../providers/infobip.ts";
import { isSessionId, MAX_BODY_BYTES, validateFields } from "../request.ts";
import { replyTo, ussdSession } from "../session-desk.ts";

const adapters: ReadonlyMap<string, ProviderAdapter> = new Map([
  ["africas-talking", africasTalking],
  ["airtel", airtel],
  ["hubtel", hubtel],
  ["infobip", infobip],
]);

export const PROVIDER_NAMES: readonly string[] = [...adapters.keys()];

export function adapterOf(name: string): ProviderAdapter | undefined {
  return adapters.get(name);
}

/** `path`: what follows the provider's name. */
export async function providerRoute(c: UssdContext, name: string, path: string): Promise<Response> {
  const adapter = adapterOf(name);
  if (adapter === undefined) return unknownRoute(c);
  if (adapter.isStatus?.(c.req.method, path)) return respond(adapter.printEnded());
  const { methods } = adapter;
  if (!methods.some((method) => method === c.req.method)) {
    return refuse(c, newFailure("method_not_allowed", "Method Not Allowed"), { Allow: methods.join(", ") });
  }
  const { USSD_SERVICE_CODES: serviceCodes, USSD_PHONE_PLUS_OPTIONAL: phonePlusOptional } = c.var.config;
  const body = await readBody(c.req.raw, MAX_BODY_BYTES);
  const query = new URL(c.req.url).search.slice(1);
  const call = body.ok ? adapter.parse({ path, query, body: body.value }, serviceCodes) : undefined;
  const { env, log } = c.env;
  if (!body.ok || call === undefined) {
    log.info("ussd-request-refused", { reason: "invalid input", part: "body", provider: name });
    return respond(adapter.print(INVALID_INPUT, call));
  }
  if (call.event === "end") {
    const { sessionId, event: _, ...whose } = call;
    if (!isSessionId(sessionId)) {
      log.info("ussd-request-refused", { reason: "invalid input", part: "sessionId", provider: name });
      return respond(adapter.printEnded());
    }
    const hangUp = { provider: name, ...whose };
    inBackground(c, ussdSession(env, { provider: name, sessionId }).hangUp(hangUp));
    // Africa's Talking calls the plain endpoint as well, and has this address for the notice alone.
    if (whose.phoneNumber !== undefined) inBackground(c, ussdSession(env, { sessionId }).hangUp(hangUp));
    return respond(adapter.printEnded());
  }
  const verdict = validateFields(call, { serviceCodes, phonePlusOptional });
  const reply = await replyTo(verdict, {
    env,
    log,
    logLevel: c.var.config.LOG_LEVEL,
    mode: call.mode,
    ...(call.requestId === undefined ? {} : { requestId: call.requestId }),
    ...(call.requestId === undefined && call.mode === "latest" ? { raw: `${path}?${query}\n${body.value}` } : {}),
    provider: name,
    ...(call.codeUnknown === undefined ? {} : { codeUnknown: call.codeUnknown }),
    background: (work) => inBackground(c, work),
  });
  return respond(adapter.print(reply, call));
}

/** Over the limit: told in the provider's own form, with the status that limits have. */
export function overLimitReply(adapter: ProviderAdapter): Response {
  return respond(adapter.print(TOO_MANY_REQUESTS, undefined), 429);
}

function respond({ headers, body }: ProviderResponse, status = 200): Response {
  return new Response(body, {
    status,
    headers: { ...headers, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}
