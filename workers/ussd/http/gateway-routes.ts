/**
 * The routes for telecom gateways: the session endpoint and one route per provider. All read a request, forward it to
 * the session and print its reply, always with status 200. An adapter only reads and prints; validation is shared.
 */
import { readBody } from "../../../platform/http/body.ts";
import { INVALID_INPUT, TOO_MANY_REQUESTS, type PhoneReply } from "../../../platform/phone-reply.ts";
import { listsAddress } from "../address-list.ts";
import { stepSession, ussdSession, type RequestOrigin } from "../session-client.ts";
import { addressOf } from "./access.ts";
import { inBackground, methodNotAllowed, notFound, type UssdContext } from "./context.ts";
import type { ProviderAdapter, ProviderResponse } from "./providers/adapter.ts";
import { africasTalking } from "./providers/africas-talking.ts";
import { airtel } from "./providers/airtel.ts";
import { hubtel } from "./providers/hubtel.ts";
import { infobip } from "./providers/infobip.ts";
import { isSessionId, MAX_BODY_BYTES, parseRequest, validateFields, type RequestRules } from "./request.ts";

export const providers: ReadonlyMap<string, ProviderAdapter> = new Map([
  ["africas-talking", africasTalking],
  ["airtel", airtel],
  ["hubtel", hubtel],
  ["infobip", infobip],
]);

const REPLY_HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

export function textReply({ kind, body }: PhoneReply, status = 200): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", ...REPLY_HEADERS };
  return new Response(`${kind} ${body}`, { status, headers });
}

export async function sessionEndpoint(c: UssdContext): Promise<Response> {
  const parsed = await parseRequest(c.req.raw, requestRules(c));
  const asked = parsed.ok ? parsed.value : parsed.error.long;
  const origin = asked === undefined ? {} : gatewayOf(c, asked.serviceCode);
  return textReply(await stepSession(parsed, { ...callOptions(c), origin }));
}

/** The gateway's text mode if an operator has set it, otherwise the address for which sessions detect it. */
function gatewayOf(c: UssdContext, serviceCode: string): Pick<RequestOrigin, "mode" | "gateway"> {
  const { config } = c.var;
  const address = addressOf(c.req.raw, config);
  const set = config.USSD_TEXT_MODES.find(
    ({ addresses, serviceCode: code }) =>
      code === serviceCode || (addresses !== undefined && listsAddress(addresses, address)),
  );
  return set === undefined ? { gateway: address } : { mode: set.mode };
}

/** `path`: the path after the provider's name. */
export async function providerEndpoint(c: UssdContext, provider: string, path: string): Promise<Response> {
  const adapter = providers.get(provider);
  if (adapter === undefined) return notFound(c);
  if (adapter.isStatus?.(c.req.method, path)) return providerReply(adapter.printEnded());
  if (!adapter.methods.some((method) => method === c.req.method)) return methodNotAllowed(c, adapter.methods);
  const rules = requestRules(c);
  const body = await readBody(c.req.raw, MAX_BODY_BYTES);
  const query = new URL(c.req.url).search.slice(1);
  const call = body.ok ? adapter.parse({ path, query, body: body.value }, rules.serviceCodes) : undefined;
  if (!body.ok || call === undefined) {
    logRejected(c, provider, "body");
    return providerReply(adapter.print(INVALID_INPUT, call, path));
  }
  if (call.event === "end") {
    const { sessionId, event: _, ...caller } = call;
    if (isSessionId(sessionId)) hangUp(c, sessionId, { provider, ...caller });
    else logRejected(c, provider, "sessionId");
    return providerReply(adapter.printEnded());
  }
  const { mode, requestId, codeUnknown } = call;
  const isTimed = requestId === undefined && mode === "latest";
  const reply = await stepSession(validateFields(call, rules), {
    ...callOptions(c),
    origin: {
      provider,
      mode,
      ...(requestId === undefined ? {} : { requestId }),
      ...(isTimed ? { raw: `${path}?${query}\n${body.value}` } : {}),
      ...(mode === "latest" ? (call.event === "input" ? { isInput: true } : { isStart: true }) : {}),
      ...(codeUnknown === undefined ? {} : { codeUnknown }),
    },
  });
  return providerReply(adapter.print(reply, call, path));
}

/** In the provider's own format, with the status of rate limits. */
export function providerOverLimit(adapter: ProviderAdapter, path: string): Response {
  return providerReply(adapter.print(TOO_MANY_REQUESTS, undefined, path), 429);
}

function hangUp(c: UssdContext, sessionId: string, end: { readonly provider: string; readonly phoneNumber?: string }) {
  const { env } = c.env;
  inBackground(c, ussdSession(env, { provider: end.provider, sessionId }).hangUp(end));
  // Africa's Talking may call the plain endpoint, and use this address only for its end-of-session notice.
  if (end.phoneNumber !== undefined) inBackground(c, ussdSession(env, { sessionId }).hangUp(end));
}

function requestRules(c: UssdContext): RequestRules {
  const { USSD_SERVICE_CODES: serviceCodes, USSD_PHONE_PLUS_OPTIONAL: phonePlusOptional } = c.var.config;
  return { serviceCodes, phonePlusOptional };
}

function callOptions(c: UssdContext) {
  const { env, log } = c.env;
  const background = (work: Promise<unknown>): void => inBackground(c, work);
  return { env, log, logLevel: c.var.config.LOG_LEVEL, background };
}

function logRejected(c: UssdContext, provider: string, field: string): void {
  c.env.log.info("ussd-request-rejected", { reason: "invalid input", field, provider });
}

function providerReply({ headers, body }: ProviderResponse, status = 200): Response {
  return new Response(body, { status, headers: { ...headers, ...REPLY_HEADERS } });
}
