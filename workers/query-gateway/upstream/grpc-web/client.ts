/**
 * A node that speaks gRPC-web: unary calls by ourselves, since Connect's transport would pack and unpack each message once more
 * (docs/decisions/008-query-gateway.md), streams through Connect. No redirect is followed.
 */
import { fromBinary, toBinary, type DescMessage, type Message } from "@bufbuild/protobuf";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { failure, success } from "../../../platform/result.ts";
import { metadataOf, type CallMetadata } from "../call-headers.ts";
import { NodeError, unreachable, misfit } from "../node-failures.ts";
import type { NodeClient, NodeSettings, UpstreamParts, NodeTry } from "../upstream.ts";
import { judgeStream, judgeAnswer } from "./answer.ts";
import { createConnectStream } from "./connect-stream.ts";
import { writeMessage } from "./frames.ts";

interface GrpcWebClientParts extends Pick<UpstreamParts, "fetch" | "clock"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  /** Bytes of an answer; of one message where they are streamed. */
  readonly responseBytes: number;
}

export function createGrpcWebClient({ node, fetch, clock, responseBytes }: GrpcWebClientParts): NodeClient {
  const { url } = node;
  const metadata = metadataOf(node, clock);
  const reach = async (address: string, init: RequestInit): Promise<Response> => {
    try {
      // Connect's transport wants "error", which workerd refuses to do.
      return await fetch(address, { ...init, redirect: "manual" });
    } catch {
      throw new NodeError(unreachable);
    }
  };
  const transport = createGrpcWebTransport({
    baseUrl: url,
    // The transport calls it with a text.
    fetch: async (address, init) => judgeStream(await reach(address as string, init ?? {}), responseBytes),
  });
  return {
    call: createUnaryCall({ url, metadata, reach, responseBytes }),
    stream: createConnectStream(transport, metadata),
  };
}

interface UnaryCallParts {
  /** Of the node, without a trailing slash. */
  readonly url: string;
  readonly metadata: (call: NodeTry) => CallMetadata;
  /** @throws NodeError when nothing comes back. */
  readonly reach: (url: string, init: RequestInit) => Promise<Response>;
  readonly responseBytes: number;
}

function createUnaryCall({ url, metadata, reach, responseBytes }: UnaryCallParts): NodeClient["call"] {
  return async (call) => {
    const { method, path } = call.bound;
    const { headers, timeoutMs } = metadata(call);
    try {
      const response = await reach(`${url}/${path}`, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/grpc-web+proto",
          "x-grpc-web": "1",
          "grpc-timeout": grpcTimeout(timeoutMs),
        },
        body: writeMessage(toBinary(method.input, call.message)),
        signal: call.signal,
      });
      const { message, ...more } = await judgeAnswer(response, responseBytes);
      return success({ kind: "message", message: decode(method.output, message), ...more });
    } catch (thrown) {
      if (thrown instanceof NodeError) return failure(thrown.failure);
      throw thrown;
    }
  };
}

/** The greatest number that a grpc-timeout holds, by the gRPC specification. */
const GREATEST = 99_999_999;

function grpcTimeout(milliseconds: number): string {
  return `${Math.min(milliseconds, GREATEST)}m`;
}

function decode(type: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(type, bytes);
  } catch {
    throw new NodeError(misfit);
  }
}
