/**
 * JSON-RPC 2.0 in the dialect of CometBFT's RPC over HTTP: one request or a batch in a POST, or a method and its
 * parameters in the URL of a GET. Any input becomes calls, or an error that names the fault.
 * https://www.jsonrpc.org/specification
 */
import { base64Encode } from "@bufbuild/protobuf/wire";
import * as z from "zod";
import { failure, success, type Result } from "../../../platform/result.ts";
import { depthOf, parseJson, type JsonObject, type JsonValue } from "../../../platform/json.ts";

/** Maximum requests of one batch: a wallet's page needs a handful, and each may cost a call to a node. */
export const RPC_BATCH_MAX = 20;
/** Maximum parameters of one request: no method has half as many. */
export const RPC_PARAMS_MAX = 20;
/** Levels of lists and objects in a body: a batch, a request, its parameters, and one more. */
const NESTING_MAX = 4;
/** Maximum characters of an id. Clients count, or use a random number. */
const ID_LENGTH = 100;

/** The error codes of JSON-RPC. */
export const RPC_ERROR = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  /** The first of the server-defined codes. */
  tooMany: -32_000,
} as const;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

export type RpcId = string | number;
export type RpcParams = JsonObject | readonly JsonValue[];

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: RpcParams;
}

/** A valid request, or the response to an invalid one. */
export type ReadRequest = Result<RpcRequest, RpcReply>;

export type RpcReply = {
  readonly jsonrpc: "2.0";
  readonly id: RpcId | null;
} & ({ readonly result: JsonValue } | { readonly error: RpcError });

export function rpcResult(id: RpcId, result: JsonValue): RpcReply {
  return { jsonrpc: "2.0", id, result };
}

export function rpcError(id: RpcId | null, error: RpcError): RpcReply {
  return { jsonrpc: "2.0", id, error };
}

const invalidRequest = (data: string): RpcError => ({
  code: RPC_ERROR.invalidRequest,
  message: "Invalid Request",
  data,
});

export function invalidParams(data: string): RpcError {
  return { code: RPC_ERROR.invalidParams, message: "Invalid params", data };
}

export function internalError(data: string): RpcError {
  return { code: RPC_ERROR.internal, message: "Internal error", data };
}

const requestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.int(), z.string().max(ID_LENGTH)]),
  method: z.string().min(1),
  params: z.union([z.record(z.string(), z.json()), z.array(z.json())]).default({}),
});

export interface ReadRequests {
  /** A batch is answered with a list, even if it has one request. */
  readonly isBatch: boolean;
  readonly requests: readonly ReadRequest[];
}

const single = (request: ReadRequest): ReadRequests => ({ isBatch: false, requests: [request] });

/** The requests of a POST. Notifications, which have no id, are dropped, as nodes do. */
export function readPosted(text: string): ReadRequests {
  const json = parseJson(text);
  if (!json.ok)
    return single(failure(rpcError(null, { code: RPC_ERROR.parse, message: "Parse error", data: json.error })));
  if (depthOf(json.value) > NESTING_MAX)
    return single(failure(rpcError(null, invalidRequest(`more than ${NESTING_MAX} levels`))));
  if (!Array.isArray(json.value)) return single(readOne(json.value));
  const batch: readonly unknown[] = json.value;
  if (batch.length === 0 || batch.length > RPC_BATCH_MAX)
    return single(failure(rpcError(null, invalidRequest(`a batch has 1 to ${RPC_BATCH_MAX} requests`))));
  return { isBatch: true, requests: batch.filter((each) => !isNotification(each)).map(readOne) };
}

function isNotification(json: unknown): boolean {
  return typeof json === "object" && json !== null && !("id" in json) && "method" in json;
}

function readOne(json: unknown): ReadRequest {
  const request = requestSchema.safeParse(json);
  if (!request.success)
    return failure(
      rpcError(null, invalidRequest('it needs "jsonrpc": "2.0", "id", "method" and an object or a list of "params"')),
    );
  const { id, method, params } = request.data;
  if (Object.keys(params).length > RPC_PARAMS_MAX)
    return failure(rpcError(id, invalidParams(`at most ${RPC_PARAMS_MAX} parameters`)));
  return success({ id, method, params });
}

/** The id that nodes give to a request by URL. */
const URI_ID = -1;
/** Parameters whose bytes are hexadecimal in JSON too; other bytes are base64 there. */
const HEX_PARAMS: readonly string[] = ["data"];

/** `status`, `block?height="5"`, `tx?hash=0xAB`. */
export function readAddressed(method: string, query: URLSearchParams): ReadRequests {
  return single(addressed(method, query));
}

function addressed(method: string, query: URLSearchParams): ReadRequest {
  const params: Record<string, JsonValue> = {};
  const entries = [...query];
  if (entries.length > RPC_PARAMS_MAX)
    return failure(rpcError(URI_ID, invalidParams(`at most ${RPC_PARAMS_MAX} parameters`)));
  for (const [name, text] of entries) {
    const value = addressedValue(name, text);
    if (value === undefined) return failure(rpcError(URI_ID, invalidParams(`${name} cannot be read`)));
    params[name] = value;
  }
  return success({ id: URI_ID, method, params });
}

function addressedValue(name: string, text: string): JsonValue | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d+$/.test(text)) return text;
  if (text.startsWith('"')) {
    const json = parseJson(text);
    return json.ok && typeof json.value === "string" ? json.value : undefined;
  }
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return undefined;
  const hex = text.slice(2);
  return HEX_PARAMS.includes(name) ? hex : base64Encode(bytesOfHex(hex));
}

/** From pairs of hexadecimal digits. */
export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
