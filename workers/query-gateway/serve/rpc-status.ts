/**
 * Errors as a node prints them: always `code`, `message`, `details`, in this order. A node's own status passes
 * unchanged; a failure of the gateway becomes a google.rpc.Status. Only this file decides the HTTP status of both.
 */
import { create, type DescMethod, type Registry } from "@bufbuild/protobuf";
import type { Failure } from "../../../platform/failure.ts";
import { wireMeaningOf } from "../../../platform/http/error-bodies.ts";
import type { MessageWriter } from "../json/message-writer.ts";
import { base64, quoteJson } from "../json/scalars.ts";
import { GRPC, type NodeStatus, type StatusDetail } from "../upstream/upstream.ts";
import { heightHeaders, nodeHeader } from "./response.ts";

export interface RpcError extends Pick<NodeStatus, "code" | "message" | "details" | "retryAfter" | "height" | "node"> {
  readonly httpStatus: number;
}

/** Indexed by google.rpc.Code. */
const httpStatuses: readonly number[] = [
  200, 408, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
];

export function rpcErrorOf(error: NodeStatus | Failure): RpcError {
  if ("kind" in error) return { ...error, httpStatus: error.httpStatus ?? httpStatuses[error.code] ?? 500 };
  const { status: httpStatus, grpc } = wireMeaningOf(error.code);
  const { message, retryAfter } = error;
  // The node is available; its response exceeds our limit.
  const code = error.reason === "answer_too_large" ? GRPC.internal : grpc;
  return { code, message, httpStatus, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Prints an Any: the registry that knows its descriptor, and the writer over that registry. */
export interface DetailWriter {
  readonly registry: Registry;
  readonly writer: MessageWriter;
}

export function errorBody(
  { code, message, details = [] }: Omit<RpcError, "httpStatus">,
  writer?: DetailWriter,
): string {
  const printed = details.map((detail) => (detail.kind === "json" ? detail.text : printAny(detail, writer)));
  return `{"code":${code},"message":${quoteJson(message)},"details":[${printed.join(",")}]}`;
}

export function errorResponse({ httpStatus, retryAfter, height, node }: RpcError, body: string): Response {
  return new Response(body, {
    status: httpStatus,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...(retryAfter !== undefined && { "Retry-After": String(Math.ceil(retryAfter)) }),
      ...heightHeaders(height?.toString()),
      ...nodeHeader(node),
    },
  });
}

/** Parts of a refusal that only the edge knows: `Allow`, `WWW-Authenticate`, a hint for developers. */
interface RefusalMore {
  readonly headers?: Readonly<Record<string, string>>;
  readonly details?: readonly StatusDetail[];
}

/** The response to a request for which no node was called. */
export function refusal(failure: Failure, { headers = {}, details = [] }: RefusalMore = {}): Response {
  const error = { ...rpcErrorOf(failure), details };
  const response = errorResponse(error, errorBody(error));
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

function printAny({ typeUrl, value }: Extract<StatusDetail, { kind: "any" }>, writer?: DetailWriter): string {
  const type = writer?.registry.getMessage("google.protobuf.Any");
  if (writer !== undefined && type !== undefined) {
    const printed = writer.writer.write(type, create(type, { typeUrl, value }));
    if (printed.ok) return printed.value.text;
  }
  return `{"@type":${quoteJson(typeUrl)},"value":${base64(value)}}`;
}

/** Claims: collection, claim and dispute not found. */
const MISSING_CLAIM = /codespace claims code (?:1001|1100|1200)\b/;

/**
 * `json.notFoundCodes`: nodes answer "unknown" if a claim or a bond does not exist. With the setting on, the HTTP
 * status is 404; the `code` member stays the node's.
 */
export function missingIsNotFound(method: DescMethod, status: NodeStatus): NodeStatus {
  if (status.code !== GRPC.unknown) return status;
  const isBond = method.parent.typeName.startsWith("ixo.bonds.") && status.message.includes("does not exist");
  return isBond || MISSING_CLAIM.test(status.message) ? { ...status, httpStatus: 404 } : status;
}
