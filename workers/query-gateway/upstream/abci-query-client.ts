/**
 * A node called through CometBFT's RPC, as command-line clients do. The node maps most gRPC codes to its two codes, so
 * some statuses are coarser than over gRPC-web.
 */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import * as z from "zod";
import { abandon, readText } from "../../../platform/http/body.ts";
import { parseJson } from "../../../platform/json.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { isJsonType } from "./lcd-client.ts";
import {
  answerTooLarge,
  badAnswer,
  decodeError,
  refusedWith,
  resultOf,
  unreachable,
  unreadBody,
  unsupported,
} from "./node-failures.ts";
import {
  GRPC,
  reportedHeight,
  type NodeClient,
  type NodeFailure,
  type NodeSettings,
  type NodeStatus,
  type NodeTry,
  type UpstreamAnswer,
  type UpstreamDependencies,
} from "./upstream.ts";
import { hexOf } from "../../../platform/digest.ts";

export interface AbciQueryClientOptions extends Pick<UpstreamDependencies, "fetch"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  /** Maximum bytes of the decoded response. */
  readonly responseBytes: number;
}

const abciResponse = z.object({
  code: z.int().min(0).default(0),
  log: z.string().nullish(),
  codespace: z.string().nullish(),
  value: z.string().nullish(),
  height: z.string().nullish(),
});
type AbciResponse = z.output<typeof abciResponse>;

const rpcAnswer = z.union([
  z.object({ error: z.looseObject({}) }),
  z.object({ result: z.object({ response: abciResponse }) }),
]);

const nodeReply = z.union([
  z.object({ error: z.object({ code: z.int(), message: z.string(), data: z.string().optional() }) }),
  z.object({ result: z.json() }),
]);

/** A 429 of a proxy in front of the node. */
const tooOften: NodeFailure = { ...unreachable, reason: "refused" };

/** Bytes of JSON-RPC around a response's base64, including logs. */
const ENVELOPE_BYTES = 64 * 1024;

const CANNOT_ANSWER: NodeStatus = {
  kind: "status",
  code: GRPC.unavailable,
  message: "The node is unavailable",
  retryAfter: 1,
};

export function createAbciQueryClient({ node, fetch, responseBytes }: AbciQueryClientOptions): NodeClient {
  /** The JSON from a node, whatever its content; or the status of a proxy in front of it. */
  async function ask(
    body: object,
    limit: number,
    signal: AbortSignal,
  ): Promise<Result<{ readonly json: unknown; readonly status: number }, NodeFailure | NodeStatus>> {
    let response: Response;
    try {
      response = await fetch(node.url, {
        method: "POST",
        headers: { ...node.headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
        redirect: "manual",
        signal,
      });
    } catch {
      return failure(unreachable);
    }
    const { status } = response;
    // Errors have status 500 and a body that explains them.
    if (!isJsonType(response.headers)) {
      abandon(response.body);
      return failure(status === 200 ? badAnswer("it is not JSON") : refusedWith(status));
    }
    const text = await readText(response, limit);
    if (!text.ok) return failure(unreadBody(text.error));
    const parsed = parseJson(text.value);
    return success({ json: parsed.ok ? parsed.value : undefined, status });
  }
  const notRpc = (status: number): NodeFailure | NodeStatus =>
    status === 200 ? badAnswer("it is not JSON-RPC") : refusedWith(status);

  return {
    call: async (call) => {
      const limit = Math.ceil(responseBytes / 3) * 4 + ENVELOPE_BYTES;
      const answered = await ask(rpcRequest(call), limit, call.signal);
      if (!answered.ok) return resultOf(answered.error);
      const answer = rpcAnswer.safeParse(answered.value.json);
      if (!answer.success) return resultOf(notRpc(answered.value.status));
      if ("error" in answer.data) return success(CANNOT_ANSWER);
      return readResponse(call, answer.data.result.response, responseBytes);
    },
    rpc: async ({ method, params, signal }) => {
      const answered = await ask({ jsonrpc: "2.0", id: 1, method, params }, responseBytes, signal);
      const reply = nodeReply.safeParse(answered.ok ? answered.value.json : undefined);
      if (reply.success)
        return success("error" in reply.data ? { kind: "error", ...reply.data } : { kind: "result", ...reply.data });
      const wrong = answered.ok ? notRpc(answered.value.status) : answered.error;
      return failure("kind" in wrong ? tooOften : wrong);
    },
    stream: async () => failure(unsupported("A node's RPC endpoint does not stream")),
  };
}

function rpcRequest({ bound: { method }, message, height }: NodeTry): object {
  const data = hexOf(toBinary(method.input, message));
  const path = `/${method.parent.typeName}/${method.name}`;
  return {
    jsonrpc: "2.0",
    id: 1,
    method: "abci_query",
    params: { path, data, height: String(height ?? 0n), prove: false },
  };
}

function readResponse({ bound }: NodeTry, response: AbciResponse, limit: number): Result<UpstreamAnswer, NodeFailure> {
  const height = reportedHeight(response.height);
  if (response.code !== 0) {
    const status: NodeStatus = { kind: "status", code: grpcCode(response), message: response.log ?? "" };
    return success({ ...status, ...(height !== undefined && { height }) });
  }
  const bytes = bytesOf(response.value ?? "");
  if (bytes === undefined) return failure(badAnswer("its value is not base64"));
  if (bytes.byteLength > limit) return failure(answerTooLarge);
  try {
    return success({ kind: "message", message: fromBinary(bound.method.output, bytes), height });
  } catch {
    return failure(decodeError);
  }
}

function bytesOf(base64: string): Uint8Array | undefined {
  try {
    return base64Decode(base64);
  } catch {
    return undefined;
  }
}

/** Codes of codespace `sdk`: unauthorized, invalid request, unknown request, key not found. */
function grpcCode({ code, codespace, log }: AbciResponse): number {
  if (codespace !== "sdk") return GRPC.unknown;
  if (code === 4) return GRPC.unauthenticated;
  if (code === 18) return GRPC.invalidArgument;
  if (code === 22) return GRPC.notFound;
  return code === 6 && (log ?? "").includes("unknown query path") ? GRPC.unimplemented : GRPC.unknown;
}
