/**
 * A unary gRPC-web call: one request and one answer, both in our hands as bytes already, since the judge reads the whole answer.
 * Through Connect's transport, which would pack and unpack them once more, a call took a third more of workerd's time
 * (docs/decisions/008-query-gateway.md). Streams go through it (connect-stream.ts).
 */
import { fromBinary, toBinary, type DescMessage, type Message } from "@bufbuild/protobuf";
import { failure, success } from "../../../platform/result.ts";
import { misfit, NodeError } from "../node-error.ts";
import type { NodeClient, NodeTry } from "../upstream.ts";
import type { CallMetadata } from "./call-metadata.ts";
import { judgeAnswer } from "./grpc-web-answer.ts";
import { writeMessage } from "./grpc-web-frames.ts";

export interface UnaryCallParts {
  /** Of the node, without a trailing slash. */
  readonly url: string;
  readonly metadata: (call: NodeTry) => CallMetadata;
  /** @throws NodeError when nothing comes back. */
  readonly reach: (url: string, init: RequestInit) => Promise<Response>;
  readonly responseBytes: number;
}

export function createUnaryCall({ url, metadata, reach, responseBytes }: UnaryCallParts): NodeClient["call"] {
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
