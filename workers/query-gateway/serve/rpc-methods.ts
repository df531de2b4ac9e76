/**
 * CometBFT's RPC for clients that support nothing else, such as CosmJS. `abci_query` is a call of the gateway
 * (`rpc-abci-query.ts`). All other methods go to nodes of kind `abci-query`, which use this wire format. Without such a
 * node, `status` and `abci_info` are built from the methods that every node supports.
 */
import { create } from "@bufbuild/protobuf";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { readBytes } from "../../../platform/http/body.ts";
import type { JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import {
  internalError,
  invalidParams,
  readAddressed,
  readPosted,
  RPC_ERROR,
  rpcError,
  rpcResult,
  type ReadRequest,
  type ReadRequests,
  type RpcError,
  type RpcReply,
  type RpcRequest,
} from "./json-rpc.ts";
import { isEncoded, readTimeout } from "./plan-call.ts";
import { abciQuery, methodNamed } from "./rpc-abci-query.ts";
import { endpointPage } from "./rpc-endpoints.ts";
import { infoOf, nodeDocumentsSchema, statusOf, type NodeDocuments } from "./rpc-node.ts";
import { passOn } from "./rpc-passed.ts";
import { refusal } from "./rpc-status.ts";
import type { RequestContext } from "./request-context.ts";
import { callShared } from "./unary-answer.ts";

/** Passed unchanged to nodes of kind `abci-query`. None of these has side effects. */
const PASSED: readonly string[] = [
  "status",
  "abci_info",
  "block",
  "block_by_hash",
  "block_results",
  "block_search",
  "blockchain",
  "commit",
  "consensus_params",
  "header",
  "header_by_hash",
  "health",
  "tx",
  "tx_search",
  "validators",
];
/** Built from requests that every node supports. */
const ANYWHERE: readonly string[] = ["status", "abci_info", "health"];
const SUBSCRIPTION: readonly string[] = ["subscribe", "unsubscribe", "unsubscribe_all"];
const NO_SUBSCRIPTIONS = "this gateway serves no WebSocket and no subscriptions; poll status, block or tx_search";
const BROADCAST: readonly string[] = ["broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit"];

/** Below the RPC's own path: empty for a POST, the method for a GET. */
export async function answerRpc(deployment: Deployment, context: RequestContext, below: string): Promise<Response> {
  const { request } = context;
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (isRead && (below === "" || below === "/"))
    return endpointPage(new URL(request.url).pathname, methodsOf(deployment));
  if (isRead && below === "/websocket") return refusal(newFailure("not_implemented", NO_SUBSCRIPTIONS));
  const read = request.method === "POST" ? await readBody(deployment, request) : readAddress(request, below);
  if (!read.ok) return refusal(read.error, { headers: headersOf(read.error) });
  const { isBatch, requests } = read.value;
  const replies = await Promise.all(
    requests.map(
      async (each, at) => (await refusedByRate(deployment, context, at)) ?? replyTo(deployment, context, each),
    ),
  );
  return new Response(JSON.stringify(isBatch ? replies : replies[0]), {
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}

/** The methods that this profile can answer. */
export function methodsOf({ upstream, settings }: Pick<Deployment, "upstream" | "settings">): readonly string[] {
  if (!upstream.hasRpc) return ["abci_query", ...ANYWHERE];
  return ["abci_query", ...PASSED, ...(settings.rpc.broadcast ? BROADCAST : [])];
}

export const RPC_VERBS = "GET, HEAD, POST, OPTIONS";

type Read = Result<ReadRequests>;

/** The alternatives that the caller can send (RFC 9110). */
function headersOf({ code }: Failure): Readonly<Record<string, string>> {
  if (code === "method_not_allowed") return { Allow: RPC_VERBS };
  return code === "unsupported_media_type" ? { "Accept-Encoding": "identity" } : {};
}

async function readBody({ settings: { limits } }: Deployment, request: Request): Promise<Read> {
  if (isEncoded(request.headers))
    return failure(newFailure("unsupported_media_type", "Send the body without Content-Encoding"));
  const body = await readBytes(request, limits.bodyBytes);
  if (body.ok) return success(readPosted(new TextDecoder().decode(body.value)));
  return failure(
    body.error === "too-large"
      ? newFailure("too_large", "The body is too large")
      : newFailure("invalid_request", "The body could not be read"),
  );
}

function readAddress({ method, url }: Request, below: string): Read {
  if (method !== "GET" && method !== "HEAD") return failure(newFailure("method_not_allowed", "Method Not Allowed"));
  if (!/^\/[a-z_]+$/.test(below)) return failure(newFailure("not_found", "Not Found"));
  return success(readAddressed(below.slice(1), new URL(url).searchParams));
}

/** The first request of a batch was counted when the batch arrived; each further one counts as a separate request. */
async function refusedByRate(
  { checkAccess }: Deployment,
  { request: { headers }, path, address }: RequestContext,
  at: number,
): Promise<RpcReply | undefined> {
  const access = at === 0 ? undefined : await checkAccess?.({ headers, path, address });
  if (access === undefined || access.ok) return undefined;
  return rpcError(null, { code: RPC_ERROR.tooMany, message: "Too many requests", data: access.error.message });
}

async function replyTo(deployment: Deployment, context: RequestContext, read: ReadRequest): Promise<RpcReply> {
  if (!read.ok) return read.error;
  const { id } = read.value;
  const timeoutMs = readTimeout(context.request.headers, deployment.settings.limits.timeoutMs);
  if (!timeoutMs.ok) return rpcError(id, invalidParams(timeoutMs.error.message));
  const answered = await answerOne(deployment, context, read.value, timeoutMs.value);
  return answered.ok ? rpcResult(id, answered.value) : rpcError(id, answered.error);
}

type Answered = Result<JsonValue, RpcError>;

async function answerOne(
  deployment: Deployment,
  context: RequestContext,
  { method, params }: Pick<RpcRequest, "method" | "params">,
  timeoutMs: number,
): Promise<Answered> {
  const { upstream, settings } = deployment;
  if (method === "abci_query") return abciQuery(deployment, context, params, timeoutMs);
  const isBroadcast = BROADCAST.includes(method);
  if (SUBSCRIPTION.includes(method)) return failure(notFound(NO_SUBSCRIPTIONS));
  if (!PASSED.includes(method) && !isBroadcast) return failure(notFound(`there is no method ${method.slice(0, 50)}`));
  if (isBroadcast && !settings.rpc.broadcast) return failure(notFound("this deployment accepts no transactions"));
  if (upstream.hasRpc) {
    const terms = { deadline: context.clock() + timeoutMs, signal: context.request.signal };
    const reply = isBroadcast
      ? await upstream.rpc({ method, params, isRepeatable: false, ...terms })
      : await passOn(deployment, context, { method, params }, timeoutMs);
    if (!reply.ok) return failure(internalError(reply.error.message));
    return reply.value.kind === "result" ? success(reply.value.result) : failure(reply.value.error);
  }
  switch (method) {
    case "health":
      return success({});
    case "status":
    case "abci_info": {
      const documents = await nodeDocuments(deployment, context, timeoutMs);
      return documents.ok
        ? success(method === "status" ? statusOf(documents.value) : infoOf(documents.value))
        : documents;
    }
    default:
      return failure(notFound(`${method} needs a node of kind abci-query`));
  }
}

/** The source documents of `status` and `abci_info`, in the form for REST clients. */
async function nodeDocuments(
  deployment: Deployment,
  context: RequestContext,
  timeoutMs: number,
): Promise<Result<NodeDocuments, RpcError>> {
  const documents = await Promise.all(
    ["GetLatestBlock", "GetNodeInfo", "GetSyncing"].map(async (name): Promise<Result<unknown, RpcError>> => {
      const served = methodNamed(deployment, `cosmos.base.tendermint.v1beta1.Service/${name}`);
      const route = deployment.plan.routes.find(({ bound }) => bound.path === served?.bound.path);
      if (served === undefined || served.isDisabled || route === undefined)
        return failure(notFound(`this deployment has no ${name}`));
      const call = { route, served, values: [], message: create(served.bound.method.input), timeoutMs };
      const outcome = await callShared(deployment, call, context);
      if (outcome.kind === "error") return failure(internalError(outcome.error.message));
      return success(JSON.parse(new TextDecoder().decode(outcome.answer.body)));
    }),
  );
  for (const each of documents) if (!each.ok) return each;
  const [block, info, syncing] = documents.map((each) => (each.ok ? each.value : undefined));
  const read = nodeDocumentsSchema.safeParse({ block, info, syncing });
  return read.success
    ? success(read.data)
    : failure(internalError("the node's answer lacks data that this method needs"));
}

const notFound = (data: string): RpcError => ({ code: RPC_ERROR.methodNotFound, message: "Method not found", data });
