/**
 * `abci_query` of CometBFT's RPC. It names a method of the gateway and contains its request as bytes, so pool, cache,
 * single flight and the embedded node answer it like REST. The response contains the bytes of the message, and codes in
 * baseapp's form.
 */
import { base64Encode } from "@bufbuild/protobuf/wire";
import * as z from "zod";
import type { JsonObject, JsonValue } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { Deployment, ServedMethod } from "../deployments/deployment.ts";
import { requestOfBytes } from "../transcoding/request/request-mapping.ts";
import type { Route } from "../transcoding/routes.ts";
import { GRPC, parseHeight } from "../upstream/upstream.ts";
import { bytesOfHex, internalError, invalidParams, type RpcError, type RpcParams } from "./json-rpc.ts";
import type { PlannedCall } from "./plan-call.ts";
import type { RequestContext } from "./request-context.ts";
import { callShared } from "./unary-answer.ts";

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
/** Their order in a list. */
const QUERY_NAMES = ["path", "data", "height", "prove"] as const;

/** Answers `abci_query`: the method that `path` names, called as its route would call it. */
export async function abciQuery(
  deployment: Deployment,
  context: RequestContext,
  params: RpcParams,
  timeoutMs: number,
): Promise<Result<JsonValue, RpcError>> {
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
  if (isOutage(code)) return failure(internalError(message));
  return success({ response: { ...refused(sdkCode(code), message), height: String(reported ?? 0n) } });
}

const isList = (params: RpcParams): params is readonly JsonValue[] => Array.isArray(params);

const methodsByPath = new WeakMap<Deployment, ReadonlyMap<string, ServedMethod>>();

/** The method with that full name; if two sets contain it, the first wins. */
export function methodNamed(deployment: Deployment, path: string): ServedMethod | undefined {
  const known =
    methodsByPath.get(deployment) ??
    new Map([...deployment.methods.values()].toReversed().map((served) => [served.bound.path, served]));
  methodsByPath.set(deployment, known);
  return known.get(path);
}

/** The call that its route would make, with the response as the bytes of its message. */
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

/** Replaces a field's name, because a response in this form is not JSON and cannot be a field. */
const PROTOBUF = "(protobuf)";

/** Codes of codespace `sdk` in baseapp's responses to queries. */
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

/** No node has responded: the client can retry. */
function isOutage(code: number): boolean {
  return (
    code === GRPC.unavailable || code === GRPC.deadlineExceeded || code === GRPC.cancelled || code === GRPC.internal
  );
}
