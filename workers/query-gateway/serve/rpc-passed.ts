/**
 * Requests of CometBFT's RPC that pass unchanged to a node. Equal concurrent requests are one call, and a response is
 * cached as in the REST service: data of a final height permanently, the rest for `cache.latestSeconds`.
 */
import { newFailure, type Failure } from "../../../platform/failure.ts";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import { callerGone, deadlineExceeded } from "../upstream/node-failures.ts";
import { parseHeight, type NodeReply } from "../upstream/upstream.ts";
import type { RpcParams, RpcRequest } from "./json-rpc.ts";
import { answerOf, chainOf, freshnessOf, jsonDocument } from "./response.ts";
import { rpcErrorOf } from "./rpc-status.ts";
import type { RequestContext, SharedOutcome } from "./request-context.ts";
import { shareCall } from "./unary-answer.ts";

type Passed = Pick<RpcRequest, "method" | "params">;

/** The place of the height in a result, for the methods that answer for one height. */
const HEIGHT_IN: Readonly<Record<string, readonly string[]>> = {
  block: ["block", "header", "height"],
  block_by_hash: ["block", "header", "height"],
  block_results: ["height"],
  commit: ["signed_header", "header", "height"],
  consensus_params: ["block_height"],
  header: ["header", "height"],
  header_by_hash: ["header", "height"],
  tx: ["height"],
  validators: ["block_height"],
};
/** The content is found by its hash, so the height comes from the result. */
const BY_HASH: readonly string[] = ["block_by_hash", "header_by_hash", "tx"];

export async function passOn(
  deployment: Deployment,
  context: RequestContext,
  request: Passed,
  timeoutMs: number,
): Promise<Result<NodeReply>> {
  const { cache, clock, request: asked } = context;
  const key = keyOf(deployment, request);
  const cached = await cache.get(key);
  if (cached !== undefined && clock() < cached.storedAt + cached.seconds * 1000) return replyIn(cached.answer.body);
  const outcome = await shareCall(
    {
      key,
      timeoutMs,
      begin: (terms) => fetchReply(deployment, context, request, terms),
      ended: (cause) => ended(cause),
    },
    context,
    { deadline: clock() + timeoutMs, signal: asked.signal },
  );
  return outcome.kind === "answer"
    ? replyIn(outcome.answer.body)
    : failure(newFailure("unavailable", outcome.error.message));
}

/** A reply is cached as the text of `NodeReply`. */
function replyIn(body: Uint8Array): Result<NodeReply> {
  return success(JSON.parse(new TextDecoder().decode(body)) as NodeReply);
}

async function fetchReply(
  deployment: Deployment,
  { cache, clock, waitUntil }: RequestContext,
  request: Passed,
  terms: { readonly deadline: number; readonly signal: AbortSignal },
): Promise<SharedOutcome> {
  const { settings, upstream } = deployment;
  const reply = await upstream.rpc({ ...request, ...terms, isRepeatable: true });
  if (!reply.ok) return ended(reply.error);
  const { value } = reply;
  const reported = value.kind === "result" ? heightOf(request.method, value.result) : undefined;
  const requested = BY_HASH.includes(request.method) ? reported : requestedHeight(request);
  const heights = { requested, reported, best: upstream.bestHeight(), isComplete: isSettled(value) };
  const { cacheControl, seconds } = freshnessOf(settings, { ...heights, chain: chainOf(deployment) });
  const answer = await answerOf(jsonDocument(JSON.stringify(value)), 200, cacheControl, reported);
  // The node's refusals are temporary: missing data may exist soon.
  if (value.kind === "result" && seconds > 0) {
    waitUntil(cache.put(keyOf(deployment, request), answer, { storedAt: clock(), seconds, staleSeconds: 0 }));
  }
  return { kind: "answer", answer };
}

function ended(cause: Failure): SharedOutcome {
  const isCallerEnd = cause === deadlineExceeded || cause === callerGone;
  return { kind: "error", error: rpcErrorOf(cause), body: "", isCallerEnd };
}

/** Signatures of a commit that is not canonical may still be added. */
function isSettled(reply: NodeReply): boolean {
  return reply.kind === "result" && memberOf(reply.result, "canonical") !== false;
}

function heightOf(method: string, result: JsonValue): bigint | undefined {
  const text = (HEIGHT_IN[method] ?? [""]).reduce<JsonValue | undefined>(memberOf, result);
  return typeof text === "string" ? parseHeight(text) : undefined;
}

function memberOf(value: JsonValue | RpcParams | undefined, name: string): JsonValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject)[name] : undefined;
}

/** Undefined for the latest. In a list of parameters, the height is the first. */
function requestedHeight({ method, params }: Passed): bigint | undefined {
  if (HEIGHT_IN[method] === undefined) return undefined;
  const given = Array.isArray(params) ? (params as readonly JsonValue[])[0] : memberOf(params, "height");
  const height = typeof given === "string" || typeof given === "number" ? parseHeight(String(given)) : undefined;
  return height === 0n ? undefined : height;
}

/** Numbers are written as texts, as in CometBFT, so that both forms of a request are one. */
function keyOf(deployment: Deployment, { method, params }: Passed): string {
  const { settings, origin } = deployment;
  const written = (value: JsonValue) => (typeof value === "number" ? String(value) : value);
  const named = Array.isArray(params)
    ? (params as readonly JsonValue[]).map(written)
    : Object.entries(params)
        .map(([name, value]) => [name, written(value ?? null)] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([
    "rpc",
    settings.name,
    chainOf(deployment) ?? "",
    origin,
    settings.gate.mode === "none",
    method,
    named,
  ]);
}
