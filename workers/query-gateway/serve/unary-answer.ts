/**
 * The response to a unary call: from the cache, from one call shared by all equal concurrent requests, or from the
 * nodes. If a profile allows it, a stale response is served while a new one is fetched, or instead of an outage (RFC
 * 5861).
 */
import type { Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import type { Failure } from "../../../platform/failure.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { messageReader } from "../transcoding/request/body-message.ts";
import { parseExactJson } from "../transcoding/request/exact-json.ts";
import { internalError, callerGone, deadlineExceeded, decodeError } from "../upstream/node-failures.ts";
import { GRPC, type UpstreamCall } from "../upstream/upstream.ts";
import type { GatewayAnswer, CachedAnswer } from "./answer-cache.ts";
import type { PlannedCall } from "./plan-call.ts";
import {
  answerOf,
  answerResponse,
  cachedHeaders,
  cacheKey,
  chainOf,
  cacheStatus,
  freshnessOf,
  jsonDocument,
  nodeHeader,
  printDocument,
  type Document,
} from "./response.ts";
import {
  errorBody,
  errorResponse,
  missingIsNotFound,
  rpcErrorOf,
  type DetailWriter,
  type RpcError,
} from "./rpc-status.ts";
import type { RequestContext, SharedOutcome } from "./request-context.ts";

export async function answerUnary(
  deployment: Deployment,
  call: PlannedCall,
  context: RequestContext,
): Promise<Response> {
  const { cache, clock, request, waitUntil } = context;
  const deadline = clock() + call.timeoutMs;
  if (!isShareable(call)) {
    const outcome = await fetchAndCache(deployment, call, context, {
      deadline,
      signal: request.signal,
      isShared: false,
    });
    return respond(outcome, request);
  }
  const key = cacheKey(deployment, call);
  const cached = isCacheable(deployment, call) ? await cache.get(key) : undefined;
  const staleFor = cached === undefined ? 0 : secondsStale(cached, clock());
  if (cached !== undefined && staleFor < 0)
    return answerResponse(cached.answer, request, cachedHeaders(cached, clock()));
  const { staleWhileRevalidateSeconds, staleIfErrorSeconds } = deployment.settings.cache;
  if (cached !== undefined && staleFor < staleWhileRevalidateSeconds) {
    waitUntil(share(sharedCall(deployment, call, context, key), context, { deadline }));
    return answerResponse(cached.answer, request, cachedHeaders(cached, clock()));
  }
  const { outcome, isOwn } = await share(sharedCall(deployment, call, context, key), context, {
    deadline,
    signal: request.signal,
  });
  if (outcome.kind === "error" && cached !== undefined && staleFor < staleIfErrorSeconds && isOutage(outcome.error))
    return answerResponse(cached.answer, request, cachedHeaders(cached, clock(), outcome.error.httpStatus));
  return respond(outcome, request, isOwn ? {} : cacheStatus("fwd=miss; collapsed"));
}

/** The result for a caller that builds the response itself: cached while fresh, shared by equal calls. */
export async function callShared(
  deployment: Deployment,
  call: PlannedCall,
  context: RequestContext,
): Promise<SharedOutcome> {
  const { cache, clock, request } = context;
  const deadline = clock() + call.timeoutMs;
  if (!isShareable(call))
    return fetchAndCache(deployment, call, context, { deadline, signal: request.signal, isShared: false });
  const key = cacheKey(deployment, call);
  const cached = isCacheable(deployment, call) ? await cache.get(key) : undefined;
  if (cached !== undefined && secondsStale(cached, clock()) < 0) return { kind: "answer", answer: cached.answer };
  return shareCall(sharedCall(deployment, call, context, key), context, { deadline, signal: request.signal });
}

/** A call that equal requests share. */
export interface SharedCall {
  readonly key: string;
  /** The timeout that its caller gives it. */
  readonly timeoutMs: number;
  readonly begin: (terms: Pick<UpstreamCall, "deadline" | "signal">) => Promise<SharedOutcome>;
  /** The result for a caller who has timed out or disconnected. */
  readonly ended: (cause: Failure) => SharedOutcome;
}

export async function shareCall(call: SharedCall, context: RequestContext, terms: SharedTerms): Promise<SharedOutcome> {
  return (await share(call, context, terms)).outcome;
}

function sharedCall(deployment: Deployment, call: PlannedCall, context: RequestContext, key: string): SharedCall {
  return {
    key,
    timeoutMs: call.timeoutMs,
    begin: (terms) => fetchAndCache(deployment, call, context, { ...terms, isShared: true }),
    ended: (cause) => errorOutcome(call, cause),
  };
}

export function upstreamCall(
  { served, message, height, route }: PlannedCall,
  terms: Pick<UpstreamCall, "deadline" | "signal">,
): UpstreamCall {
  return {
    bound: served.bound,
    message,
    ...terms,
    isRepeatable: isReadVerb(route.httpMethod) && !served.isWriting,
    ...(height !== undefined && { height }),
  };
}

export function detailWriter({ served }: PlannedCall): DetailWriter {
  return { registry: served.set.schema.registry, writer: served.writer };
}

interface SharedTerms {
  /** Unix milliseconds. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

/** Shares the call with equal concurrent requests. A caller does not fail because another caller has timed out. */
async function share(
  call: SharedCall,
  context: RequestContext,
  { deadline, signal }: SharedTerms,
): Promise<{ readonly outcome: SharedOutcome; readonly isOwn: boolean }> {
  const { clock, calls, waitUntil } = context;
  for (;;) {
    const timeoutMs = deadline - clock();
    if (timeoutMs <= 0) return { outcome: call.ended(deadlineExceeded), isOwn: true };
    const shared = await calls.share(
      // A shorter timeout ends a call sooner, so it has a separate call.
      `${call.key} ${call.timeoutMs}`,
      { timeoutMs, ...(signal && { signal }) },
      async (ended) => call.begin({ deadline, signal: ended }),
      waitUntil,
    );
    if (shared.kind !== "shared")
      return { outcome: call.ended(shared.kind === "gone" ? callerGone : deadlineExceeded), isOwn: true };
    const { value: outcome, isOwn } = shared;
    if (isOwn || outcome.kind === "answer" || !outcome.isCallerEnd) return { outcome, isOwn };
  }
}

interface CallTerms extends Pick<UpstreamCall, "deadline" | "signal"> {
  /** Equal requests can share the response, now and from the cache. */
  readonly isShared: boolean;
}

/** Calls the nodes, prints the response, and caches it if allowed. */
async function fetchAndCache(
  deployment: Deployment,
  call: PlannedCall,
  context: RequestContext,
  { isShared, ...terms }: CallTerms,
): Promise<SharedOutcome> {
  const { settings, upstream } = deployment;
  const { cache, clock, waitUntil } = context;
  const fetched = await fetchDocument(deployment, call, context, terms);
  const isComplete = !fetched.ok || fetched.value.document.unknownFields === 0;
  const reported = fetched.ok ? fetched.value.height : fetched.error.error.height;
  const chain = chainOf(deployment);
  const heights = { requested: call.height, reported, best: upstream.bestHeight(), isComplete, chain };
  const { cacheControl, seconds, staleSeconds } = freshnessOf(settings, heights);
  const node = fetched.ok ? fetched.value.node : fetched.error.error.node;
  const cacheAnswer = (answer: GatewayAnswer): SharedOutcome => {
    // The chain may become known only now, and is part of the key.
    if (isShared && seconds + staleSeconds > 0)
      waitUntil(cache.put(cacheKey(deployment, call), answer, { storedAt: clock(), seconds, staleSeconds }));
    return { kind: "answer", answer, ...(node !== undefined && { node }) };
  };
  if (!fetched.ok) {
    const { error, body } = fetched.error;
    // An object that does not exist at a final height never will.
    const isFinal = isShared && error.code === GRPC.notFound && call.height !== undefined && seconds > 0;
    if (!isFinal) return fetched.error;
    return cacheAnswer(await answerOf(jsonDocument(body), error.httpStatus, cacheControl, error.height));
  }
  const { document, height } = fetched.value;
  return cacheAnswer(await answerOf(document, 200, isShared ? cacheControl : "no-store", height));
}

interface Fetched {
  readonly document: Document;
  readonly height?: bigint;
  readonly node?: string;
}

type ErrorOutcome = Extract<SharedOutcome, { kind: "error" }>;

async function fetchDocument(
  { upstream, settings }: Deployment,
  call: PlannedCall,
  { log }: RequestContext,
  terms: Pick<UpstreamCall, "deadline" | "signal">,
): Promise<Result<Fetched, ErrorOutcome>> {
  const answer = await upstream.call(upstreamCall(call, terms));
  if (!answer.ok) return failure(errorOutcome(call, answer.error));
  const { value } = answer;
  if (value.kind === "status") {
    const status = settings.json.notFoundCodes ? missingIsNotFound(call.route.method, value) : value;
    return failure(errorOutcome(call, status));
  }
  const origin = {
    ...(value.height !== undefined && { height: value.height }),
    ...(value.node !== undefined && { node: value.node }),
  };
  const { response } = call.route;
  if (value.kind === "json" && response.kind !== "protobuf")
    return success({ document: jsonDocument(value.text), ...origin });
  const message = value.kind === "json" ? messageIn(value.text, call) : value.message;
  if (message === undefined) return failure(errorOutcome(call, decodeError));
  const document = printDocument(response, message, call.served.writer);
  const method = call.route.bound.path;
  if (!document.ok) {
    log.error("answer-not-printed", { method, reason: document.error.message });
    const internal = errorOutcome(call, internalError);
    return failure({ ...internal, error: { ...internal.error, ...origin } });
  }
  const { unknownFields } = document.value;
  if (unknownFields > 0) log.info("fields-unknown", { method, fields: unknownFields });
  return success({ document: document.value, ...origin });
}

/** The message that a node's REST endpoint printed. */
function messageIn(text: string, { route: { method }, served }: PlannedCall): Message | undefined {
  try {
    const message = reflect(method.output);
    messageReader(served.set.schema.registry).fill(message, parseExactJson(text));
    return message.message;
  } catch {
    return undefined;
  }
}

function respond(outcome: SharedOutcome, request: Request, more: Readonly<Record<string, string>> = {}): Response {
  return outcome.kind === "answer"
    ? answerResponse(outcome.answer, request, { ...nodeHeader(outcome.node), ...more })
    : errorResponse(outcome.error, outcome.body);
}

function errorOutcome(call: PlannedCall, cause: Parameters<typeof rpcErrorOf>[0]): ErrorOutcome {
  const error = rpcErrorOf(cause);
  const isCallerEnd = cause === deadlineExceeded || cause === callerGone;
  return { kind: "error", error, body: errorBody(error, detailWriter(call)), isCallerEnd };
}

/** Whether equal requests can share one response. A request with side effects is executed as often as it is sent. */
function isShareable({ route, served }: PlannedCall): boolean {
  return route.httpMethod === "GET" && !served.isWriting;
}

/** POST carries queries whose request is too large for a URL. Other methods imply side effects. */
function isReadVerb(httpMethod: string): boolean {
  return httpMethod === "GET" || httpMethod === "POST";
}

/** Whether any response to this call is cached. */
function isCacheable({ settings: { cache } }: Deployment, { height }: PlannedCall): boolean {
  const { latestSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds, immutableSeconds } = cache;
  return height === undefined
    ? latestSeconds + staleWhileRevalidateSeconds + staleIfErrorSeconds > 0
    : immutableSeconds > 0;
}

/** Negative while it is fresh. */
function secondsStale({ storedAt, seconds }: CachedAnswer, now: number): number {
  return (now - storedAt) / 1000 - seconds;
}

/** No node has answered the request, unlike a response that is an error. */
function isOutage({ code, httpStatus }: RpcError): boolean {
  return code === GRPC.unavailable || code === GRPC.deadlineExceeded || httpStatus === 502;
}
