/**
 * One request to one deployment, from the gate to the answer (contract D): OPTIONS, gate, rate, then the call itself, from
 * the cache or from the nodes. What is asked for is found out by call-request.ts; what goes out looks as answer/ makes it.
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success, type Result } from "../platform/result.ts";
import { addHeight, freshnessOf } from "./answer/answer-headers.ts";
import { addDeprecation } from "./answer/deprecation.ts";
import { jsonDocument, printDocument, type Document } from "./answer/document.ts";
import { faultBody, faultResponse, type DetailWriter } from "./answer/error-body.ts";
import { LINES_TYPE, lineStream } from "./answer/line-stream.ts";
import { missingIsNotFound } from "./answer/not-found-codes.ts";
import { cacheKey, finish, storedOf } from "./answer/stored-answer.ts";
import { faultOf, planCall, type PlannedCall } from "./call-request.ts";
import type { Deployment } from "./deployments/deployment.ts";
import { isReadVerb } from "./deployments/writing-methods.ts";
import { GRPC, httpStatusOf, internalFault, type GatewayFault } from "./gateway-fault.ts";
import type { Serving } from "./serving.ts";
import type { UpstreamCall } from "./upstream/upstream.ts";

export async function serve(deployment: Deployment, serving: Serving): Promise<Response> {
  const { request, path, address } = serving;
  if (request.method === "OPTIONS") return answerOptions(deployment, path);
  const admitted = await deployment.admit({ headers: request.headers, path, address });
  if (!admitted.ok) return faultResponse(admitted.error, faultBody(admitted.error));
  const planned = await planCall(deployment, request, path);
  if (!planned.ok) return faultResponse(planned.error, faultBody(planned.error));
  const call = planned.value;
  const response =
    call.route.method.methodKind === "server_streaming"
      ? await answerStream(deployment, call, serving)
      : await answerUnary(deployment, call, serving);
  addDeprecation(response.headers, call.route, call.values, deployment.settings.match.mount ?? "");
  return response;
}

/** Never asks a node. Behind a gate every path looks the same. */
function answerOptions({ settings, plan }: Deployment, path: string): Response {
  const allowed =
    settings.gate.mode === "none" ? plan.table.allowed(path) : success(["GET", "HEAD", "POST", "OPTIONS"]);
  if (!allowed.ok) {
    const fault = faultOf(allowed.error);
    return faultResponse(fault, faultBody(fault));
  }
  return new Response(null, { status: 204, headers: { Allow: allowed.value.join(", ") } });
}

async function answerUnary(deployment: Deployment, call: PlannedCall, serving: Serving): Promise<Response> {
  const { cache, request, waitUntil } = serving;
  const { settings, upstream } = deployment;
  const isCacheable =
    isGet(call) && (call.height === undefined ? settings.cache.latestSeconds > 0 : settings.cache.immutableSeconds > 0);
  const key = isCacheable ? cacheKey(deployment, call) : "";
  const cached = isCacheable ? await cache.get(key) : undefined;
  if (cached !== undefined) return finish(cached, request);

  const answer = await ask(deployment, call, serving);
  const told = answer.ok ? answer.value.height : answer.error.height;
  const isComplete = !answer.ok || answer.value.document.unknownFields === 0;
  const { cacheControl, seconds } = freshnessOf(settings, {
    asked: call.height,
    told,
    best: upstream.bestHeight(),
    isComplete,
  });
  if (!answer.ok) {
    const fault = answer.error;
    const body = faultBody(fault, detailWriter(call));
    // What is not there at a settled height will never be.
    const isSettled = isCacheable && fault.code === GRPC.notFound && call.height !== undefined && seconds > 0;
    if (!isSettled) {
      const response = faultResponse(fault, body);
      addHeight(response.headers, fault.height?.toString());
      return response;
    }
    const stored = await storedOf(jsonDocument(body), httpStatusOf(fault), cacheControl, fault.height);
    waitUntil(cache.put(key, stored, seconds));
    return finish(stored, request);
  }
  const stored = await storedOf(
    answer.value.document,
    200,
    isGet(call) ? cacheControl : "no-store",
    answer.value.height,
  );
  if (isCacheable && seconds > 0) waitUntil(cache.put(key, stored, seconds));
  return finish(stored, request);
}

interface Told {
  readonly document: Document;
  readonly height?: bigint;
}

async function ask(deployment: Deployment, call: PlannedCall, serving: Serving): Promise<Result<Told, GatewayFault>> {
  const { upstream, settings } = deployment;
  const answer = await upstream.call(upstreamCall(deployment, call, serving));
  if (!answer.ok)
    return failure(settings.json.notFoundCodes ? missingIsNotFound(call.route.method, answer.error) : answer.error);
  const { value } = answer;
  const height = value.height === undefined ? {} : { height: value.height };
  if (value.kind === "json") return success({ document: jsonDocument(value.text), ...height });
  const document = printDocument(call.route.response, value.message, call.parts.writer);
  if (!document.ok) {
    serving.log.error("answer-not-printed", { method: call.route.bound.path, reason: document.error.message });
    return failure({ ...internalFault, ...height });
  }
  const { unknownFields } = document.value;
  if (unknownFields > 0) serving.log.info("fields-unknown", { method: call.route.bound.path, fields: unknownFields });
  return success({ document: document.value, ...height });
}

async function answerStream(deployment: Deployment, call: PlannedCall, serving: Serving): Promise<Response> {
  const opened = await deployment.upstream.stream(upstreamCall(deployment, call, serving));
  if (!opened.ok) {
    const response = faultResponse(opened.error, faultBody(opened.error, detailWriter(call)));
    addHeight(response.headers, opened.error.height?.toString());
    return response;
  }
  const print = (message: Message): Result<string, GatewayFault> => {
    const document = printDocument(call.route.response, message, call.parts.writer);
    return document.ok ? success(new TextDecoder().decode(document.value.body)) : failure(internalFault);
  };
  const { messages, height } = opened.value;
  const body = lineStream(messages, print, (fault) => faultBody(fault, detailWriter(call)));
  const response = new Response(body, { headers: { "Content-Type": LINES_TYPE, "Cache-Control": "no-store" } });
  addHeight(response.headers, height?.toString());
  return response;
}

function upstreamCall({ isWriting }: Deployment, call: PlannedCall, { request, clock }: Serving): UpstreamCall {
  const { parts, message, height, timeoutMs, route } = call;
  return {
    bound: parts.bound,
    message,
    deadline: clock() + timeoutMs,
    signal: request.signal,
    isRepeatable: isReadVerb(route.httpMethod) && !isWriting(parts.bound),
    ...(height !== undefined && { height }),
  };
}

function isGet({ route }: PlannedCall): boolean {
  return route.httpMethod === "GET" && route.method.methodKind === "unary";
}

function detailWriter({ parts }: PlannedCall): DetailWriter {
  return { registry: parts.set.schema.registry, writer: parts.writer };
}
