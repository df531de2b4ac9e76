/**
 * CometBFT's RPC for clients that speak nothing else, such as CosmJS. `abci_query` names a method of the gateway, so it is one of
 * its calls: pool, cache, single flight and the embedded node answer it as they answer REST. Everything else goes to nodes of kind
 * `abci-query`, whose wire this is; where there is none, `status` and `abci_info` are made from what all nodes can be asked for.
 */
import { create } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import * as z from "zod";
import { newFailure, type Failure } from "../../../platform/failure.ts";
import { readBytes } from "../../../platform/http/body.ts";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment, ServedMethod } from "../deployments/deployment.ts";
import { requestOfBytes } from "../transcoding/request/request-mapping.ts";
import type { Route } from "../transcoding/routes.ts";
import { GRPC, parseHeight } from "../upstream/upstream.ts";
import {
  bytesOfHex,
  invalidParams,
  readAddressed,
  readPosted,
  RPC_ERROR,
  rpcError,
  rpcResult,
  type ReadRequest,
  type ReadRequests,
  type RpcError,
  type RpcParams,
  type RpcReply,
  type RpcRequest,
} from "./json-rpc.ts";
import { isEncoded, readTimeout, type PlannedCall } from "./plan-call.ts";
import { endpointPage } from "./rpc-endpoints.ts";
import { infoOf, nodeDocumentsSchema, statusOf, type NodeDocuments } from "./rpc-node.ts";
import { passOn } from "./rpc-passed.ts";
import { refusal } from "./rpc-status.ts";
import type { RequestContext } from "./request-context.ts";
import { callShared } from "./unary-answer.ts";

/** Asked of nodes of kind `abci-query` as they are. None of these changes anything. */
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
/** Made from what every node can be asked for. */
const ANYWHERE: readonly string[] = ["status", "abci_info", "health"];
const SUBSCRIPTION: readonly string[] = ["subscribe", "unsubscribe", "unsubscribe_all"];
const NO_SUBSCRIPTIONS = "this gateway serves no WebSocket and no subscriptions; poll status, block or tx_search";
const BROADCAST: readonly string[] = ["broadcast_tx_sync", "broadcast_tx_async", "broadcast_tx_commit"];

/** Below the RPC's own path: nothing for a POST, the method for a GET. */
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

/** Those that this deployment can answer. */
export function methodsOf({ upstream, settings }: Pick<Deployment, "upstream" | "settings">): readonly string[] {
  if (!upstream.hasRpc) return ["abci_query", ...ANYWHERE];
  return ["abci_query", ...PASSED, ...(settings.rpc.broadcast ? BROADCAST : [])];
}

export const RPC_VERBS = "GET, HEAD, POST, OPTIONS";

type Read = Result<ReadRequests>;

/** What the caller may send instead (RFC 9110). */
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

/** The first request of a batch was counted when the batch came; each further one counts as a separate request. */
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
  if (isBroadcast && !settings.rpc.broadcast) return failure(notFound("this deployment takes no transactions"));
  if (upstream.hasRpc) {
    const terms = { deadline: context.clock() + timeoutMs, signal: context.request.signal };
    const reply = isBroadcast
      ? await upstream.rpc({ method, params, isRepeatable: false, ...terms })
      : await passOn(deployment, context, { method, params }, timeoutMs);
    if (!reply.ok) return failure(internal(reply.error.message));
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

/** What `status` and `abci_info` are made from, as the documents that a REST client gets. */
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
      if (outcome.kind === "error") return failure(internal(outcome.error.message));
      return success(JSON.parse(new TextDecoder().decode(outcome.answer.body)));
    }),
  );
  for (const each of documents) if (!each.ok) return each;
  const [block, info, syncing] = documents.map((each) => (each.ok ? each.value : undefined));
  const read = nodeDocumentsSchema.safeParse({ block, info, syncing });
  return read.success ? success(read.data) : failure(internal("the node's answer lacks data that this method needs"));
}

const notFound = (data: string): RpcError => ({ code: RPC_ERROR.methodNotFound, message: "Method not found", data });
const internal = (data: string): RpcError => ({ code: RPC_ERROR.internal, message: "Internal error", data });

const heightParam = z.union([z.string(), z.int()]).transform(String).default("0");
const queryParams = z.object({
  path: z.string(),
  data: z
    .string()
    .regex(/^(?:[0-9a-fA-F]{2})*$/)
    .default(""),
  height: heightParam,
  prove: z.boolean().default(false),
});
/** The order in which a list has them. */
const QUERY_NAMES = ["path", "data", "height", "prove"] as const;

async function abciQuery(
  deployment: Deployment,
  context: RequestContext,
  params: RpcParams,
  timeoutMs: number,
): Promise<Answered> {
  const named: JsonObject = isList(params)
    ? Object.fromEntries(params.map((value, at) => [QUERY_NAMES[at] ?? `${at}`, value]))
    : params;
  const read = queryParams.safeParse(named);
  if (!read.success) return failure(invalidParams("path, data in hexadecimal, height and prove"));
  const { path, data, prove } = read.data;
  const height = parseHeight(read.data.height);
  if (height === undefined) return failure(invalidParams("height must be a block height"));
  if (prove) return failure(invalidParams("the gateway has no proofs: prove must be false"));
  const served = methodNamed(deployment, path.slice(1));
  if (served === undefined || served.isDisabled || !path.startsWith("/")) return success({ response: unknownPath });
  const bytes = bytesOfHex(data);
  const planned = plannedQuery(deployment, served, bytes);
  if (planned === undefined)
    return success({ response: refused(SDK.invalidRequest, "the data is not a message of this method") });
  const call = { ...planned, served, values: [], timeoutMs, ...(height !== 0n && { height }) };
  const outcome = await callShared(deployment, call, context);
  if (outcome.kind === "answer")
    return success({
      response: { ...emptyResponse, value: base64Encode(outcome.answer.body), height: outcome.answer.height ?? "0" },
    });
  const { code, message, height: reported } = outcome.error;
  if (isOutage(code)) return failure(internal(message));
  return success({ response: { ...refused(sdkCode(code), message), height: String(reported ?? 0n) } });
}

const isList = (params: RpcParams): params is readonly JsonValue[] => Array.isArray(params);

const methodsByPath = new WeakMap<Deployment, ReadonlyMap<string, ServedMethod>>();

/** Of two sets with one method the first counts. */
function methodNamed(deployment: Deployment, path: string): ServedMethod | undefined {
  const known =
    methodsByPath.get(deployment) ??
    new Map([...deployment.methods.values()].toReversed().map((served) => [served.bound.path, served]));
  methodsByPath.set(deployment, known);
  return known.get(path);
}

/** The call as its route would make it, with the answer as the bytes of its message. */
function plannedQuery(
  { plan, settings }: Deployment,
  served: ServedMethod,
  bytes: Uint8Array,
): Pick<PlannedCall, "route" | "message"> | undefined {
  const { method } = served.bound;
  const route = plan.routes.find(({ bound }) => bound.path === served.bound.path);
  if (method.methodKind !== "unary" || route === undefined) return undefined;
  const { template, variables, body } = route;
  const asBytes: Route = {
    method,
    bound: served.bound,
    template,
    variables,
    body,
    httpMethod: "GET",
    isAlias: false,
    isDeprecated: false,
    rule: { ...route.rule, responseBody: PROTOBUF },
    response: { kind: "protobuf", message: method.output },
  };
  try {
    return { route: asBytes, message: requestOfBytes(method.input, bytes, settings.limits) };
  } catch {
    return undefined;
  }
}

/** In the place of a field's name, which it cannot be: an answer in this form is not one in JSON. */
const PROTOBUF = "(protobuf)";

/** Codes of codespace `sdk`, as baseapp answers a query with them. */
const SDK = { unauthorized: 4, unknownRequest: 6, invalidRequest: 18, keyNotFound: 22 } as const;

const emptyResponse = {
  code: 0,
  log: "",
  info: "",
  index: "0",
  key: null,
  value: null,
  proofOps: null,
  height: "0",
  codespace: "",
} as const;

const refused = (code: number, log: string) => ({ ...emptyResponse, code, log, codespace: "sdk" });
const unknownPath = refused(SDK.unknownRequest, "unknown query path: unknown request");

function sdkCode(grpcCode: number): number {
  switch (grpcCode) {
    case GRPC.notFound:
      return SDK.keyNotFound;
    case GRPC.unauthenticated:
      return SDK.unauthorized;
    case GRPC.unimplemented:
      return SDK.unknownRequest;
    default:
      return SDK.invalidRequest;
  }
}

/** No node has answered: the client may try again. */
function isOutage(code: number): boolean {
  return (
    code === GRPC.unavailable || code === GRPC.deadlineExceeded || code === GRPC.cancelled || code === GRPC.internal
  );
}
