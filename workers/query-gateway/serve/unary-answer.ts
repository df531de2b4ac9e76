/**
 * The answer to a unary call: what is kept of it, one call for all who ask the same at the same time, or the nodes. Where a
 * deployment allows it, an answer that has aged is given while a new one is fetched, or instead of an outage (RFC 5861); its age
 * stands beside it (RFC 9111, RFC 9211).
 */
import { failure, success, type Result } from "../../platform/result.ts";
import { type Deployment, isReadVerb } from "../deployments/deployment.ts";
import { GRPC, httpStatusOf, internalFault, type GatewayFault } from "../gateway-fault.ts";
import { deadlineFault, goneFault } from "../upstream/node-failures.ts";
import type { UpstreamCall } from "../upstream/upstream.ts";
import type { KeptAnswer, StoredAnswer } from "./answer-cache.ts";
import type { PlannedCall } from "./plan-call.ts";
import {
  addHeight,
  cachedHeaders,
  freshnessOf,
  keptHeaders,
  jsonDocument,
  printDocument,
  type Document,
  cacheKey,
  finish,
  storedOf,
} from "./response.ts";
import { faultBody, faultResponse, type DetailWriter, missingIsNotFound } from "./rpc-status.ts";
import type { Serving } from "./serve.ts";

/** What became of a call, for everybody who shares it. */
export type Made =
  | { readonly kind: "answer"; readonly stored: StoredAnswer }
  | { readonly kind: "fault"; readonly fault: GatewayFault; readonly body: string };

export async function answerUnary(deployment: Deployment, call: PlannedCall, serving: Serving): Promise<Response> {
  const { cache, clock, request, waitUntil } = serving;
  const deadline = clock() + call.timeoutMs;
  if (!isShareable(deployment, call))
    return respond(await make(deployment, call, serving, { deadline, signal: request.signal }), request);

  const key = cacheKey(deployment, call);
  const kept = isKept(deployment, call) ? await cache.get(key) : undefined;
  const seconds = kept === undefined ? 0 : secondsPastFresh(kept, clock());
  if (kept !== undefined && seconds < 0) return finish(kept.answer, request, cachedHeaders(kept, clock()));
  const { staleWhileRevalidateSeconds, staleIfErrorSeconds } = deployment.settings.cache;
  if (kept !== undefined && seconds < staleWhileRevalidateSeconds) {
    waitUntil(share(deployment, call, serving, { key, deadline }));
    return finish(kept.answer, request, cachedHeaders(kept, clock()));
  }
  const { made, isOwn } = await share(deployment, call, serving, { key, deadline, signal: request.signal });
  if (made.kind === "fault" && kept !== undefined && seconds < staleIfErrorSeconds && isOutage(made.fault))
    return finish(kept.answer, request, cachedHeaders(kept, clock(), httpStatusOf(made.fault)));
  return respond(made, request, isOwn ? {} : keptHeaders("fwd=miss; collapsed"));
}

export function upstreamCall(
  { isWriting }: Deployment,
  { parts, message, height, route }: PlannedCall,
  terms: Pick<UpstreamCall, "deadline" | "signal">,
): UpstreamCall {
  return {
    bound: parts.bound,
    message,
    ...terms,
    isRepeatable: isReadVerb(route.httpMethod) && !isWriting(parts.bound),
    ...(height !== undefined && { height }),
  };
}

export function detailWriter({ parts }: PlannedCall): DetailWriter {
  return { registry: parts.set.schema.registry, writer: parts.writer };
}

interface SharedTerms {
  readonly key: string;
  /** Unix milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

/** Together with all who ask the same now. A caller whose time is not up does not fail because somebody else's was. */
async function share(
  deployment: Deployment,
  call: PlannedCall,
  serving: Serving,
  { key, deadline, signal }: SharedTerms,
): Promise<{ readonly made: Made; readonly isOwn: boolean }> {
  const { clock, flights, waitUntil } = serving;
  for (;;) {
    const patienceMs = deadline - clock();
    if (patienceMs <= 0) return { made: faultMade(call, deadlineFault), isOwn: true };
    const flown = await flights.share(
      // Who gives a call less time has it end sooner.
      `${key} ${call.timeoutMs}`,
      { patienceMs, ...(signal && { signal }) },
      async (ended) => make(deployment, call, serving, { deadline, signal: ended, key }),
      waitUntil,
    );
    if (flown.kind !== "landed")
      return { made: faultMade(call, flown.kind === "gone" ? goneFault : deadlineFault), isOwn: true };
    const { value: made, isOwn } = flown;
    const isAnothersEnd = !isOwn && made.kind === "fault" && (made.fault === deadlineFault || made.fault === goneFault);
    if (!isAnothersEnd) return { made, isOwn };
  }
}

interface MakeTerms extends Pick<UpstreamCall, "deadline" | "signal"> {
  /** Under which the answer is kept; absent: not at all. */
  readonly key?: string;
}

/** Asks, prints, and keeps what may be kept. */
async function make(
  deployment: Deployment,
  call: PlannedCall,
  serving: Serving,
  { key, ...terms }: MakeTerms,
): Promise<Made> {
  const { settings, upstream } = deployment;
  const { cache, clock, waitUntil } = serving;
  const answer = await ask(deployment, call, serving, terms);
  const isComplete = !answer.ok || answer.value.document.unknownFields === 0;
  const told = answer.ok ? answer.value.height : answer.error.height;
  const heights = { asked: call.height, told, best: upstream.bestHeight(), isComplete };
  const { cacheControl, seconds, staleSeconds } = freshnessOf(settings, heights);
  const put = (stored: StoredAnswer): Made => {
    if (key !== undefined && seconds + staleSeconds > 0)
      waitUntil(cache.put(key, stored, { storedAt: clock(), seconds, staleSeconds }));
    return { kind: "answer", stored };
  };
  if (!answer.ok) {
    const fault = answer.error;
    // What is not there at a settled height will never be.
    const isSettled = key !== undefined && fault.code === GRPC.notFound && call.height !== undefined && seconds > 0;
    if (!isSettled) return faultMade(call, fault);
    const document = jsonDocument(faultBody(fault, detailWriter(call)));
    return put(await storedOf(document, httpStatusOf(fault), cacheControl, fault.height));
  }
  const { document, height } = answer.value;
  return put(await storedOf(document, 200, key === undefined ? "no-store" : cacheControl, height));
}

interface Told {
  readonly document: Document;
  readonly height?: bigint;
}

async function ask(
  deployment: Deployment,
  call: PlannedCall,
  { log }: Serving,
  terms: Pick<UpstreamCall, "deadline" | "signal">,
): Promise<Result<Told, GatewayFault>> {
  const { upstream, settings } = deployment;
  const answer = await upstream.call(upstreamCall(deployment, call, terms));
  if (!answer.ok)
    return failure(settings.json.notFoundCodes ? missingIsNotFound(call.route.method, answer.error) : answer.error);
  const { value } = answer;
  const height = value.height === undefined ? {} : { height: value.height };
  if (value.kind === "json") return success({ document: jsonDocument(value.text), ...height });
  const document = printDocument(call.route.response, value.message, call.parts.writer);
  if (!document.ok) {
    log.error("answer-not-printed", { method: call.route.bound.path, reason: document.error.message });
    return failure({ ...internalFault, ...height });
  }
  const { unknownFields } = document.value;
  if (unknownFields > 0) log.info("fields-unknown", { method: call.route.bound.path, fields: unknownFields });
  return success({ document: document.value, ...height });
}

function respond(made: Made, request: Request, more: Readonly<Record<string, string>> = {}): Response {
  if (made.kind === "answer") return finish(made.stored, request, more);
  const response = faultResponse(made.fault, made.body);
  addHeight(response.headers, made.fault.height?.toString());
  return response;
}

function faultMade(call: PlannedCall, fault: GatewayFault): Made {
  return { kind: "fault", fault, body: faultBody(fault, detailWriter(call)) };
}

/** Whether equal requests may have one answer. What changes something is done as often as it is asked for. */
function isShareable({ isWriting }: Deployment, { route, parts }: PlannedCall): boolean {
  return route.httpMethod === "GET" && !isWriting(parts.bound);
}

/** Whether any answer to this call is kept. */
function isKept({ settings: { cache } }: Deployment, { height }: PlannedCall): boolean {
  const { latestSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds, immutableSeconds } = cache;
  return height === undefined
    ? latestSeconds + staleWhileRevalidateSeconds + staleIfErrorSeconds > 0
    : immutableSeconds > 0;
}

/** Negative while it is fresh. */
function secondsPastFresh({ storedAt, seconds }: KeptAnswer, now: number): number {
  return (now - storedAt) / 1000 - seconds;
}

/** No node has answered the question, as opposed to an answer that is an error. */
function isOutage({ code, status }: GatewayFault): boolean {
  return code === GRPC.unavailable || code === GRPC.deadlineExceeded || status === 502;
}
