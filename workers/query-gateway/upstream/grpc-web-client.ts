/**
 * A node that speaks gRPC-web (contract D, sections 1 and 7.1). Streams go through Connect's transport, whose fetch is ours. A
 * unary call is one request and one answer, both of which are in our hands as bytes already; through the transport it took
 * a third more of workerd's time. No redirect is followed, no answer goes unjudged, nothing of the caller but the message, the
 * height and the time goes out.
 */
import { fromBinary, toBinary, type Message } from "@bufbuild/protobuf";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { failure, success } from "../../platform/result.ts";
import { HEIGHT_HEADER } from "./call-headers.ts";
import { createConnectStream } from "./connect-stream.ts";
import { judgeAnswer, judgeStream } from "./grpc-web-answer.ts";
import { writeMessage } from "./grpc-web-frames.ts";
import { misfit, NodeError, unreachable } from "./node-error.ts";
import type { NodeClient, NodeSettings, NodeTry, UpstreamParts } from "./upstream.ts";

export interface GrpcWebClientParts extends Pick<UpstreamParts, "fetch" | "clock"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  /** Bytes of an answer; of one message where they are streamed. */
  readonly responseBytes: number;
}

export function createGrpcWebClient({ node, fetch, clock, responseBytes }: GrpcWebClientParts): NodeClient {
  const reach = async (url: string, init: RequestInit): Promise<Response> => {
    try {
      // Connect's transport wants "error", which workerd refuses to do.
      return await fetch(url, { ...init, redirect: "manual" });
    } catch {
      throw new NodeError(unreachable);
    }
  };
  // In small letters as ours are: the same name in two spellings would be sent as one value after the other.
  const own = Object.fromEntries(Object.entries(node.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const headersOf = ({ height }: NodeTry) => ({
    ...own,
    ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }),
  });
  // Sent as grpc-timeout, so that a node stops working when nobody waits. Zero would mean forever.
  const timeOf = ({ deadline }: NodeTry) => Math.max(1, Math.ceil(deadline - clock()));

  return {
    call: async (call) => {
      const { method, path } = call.bound;
      try {
        const response = await reach(`${node.url}/${path}`, {
          method: "POST",
          headers: {
            ...headersOf(call),
            "content-type": "application/grpc-web+proto",
            "x-grpc-web": "1",
            "grpc-timeout": grpcTimeout(timeOf(call)),
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
    },
    stream: createConnectStream({
      transport: createGrpcWebTransport({
        baseUrl: node.url,
        // The transport calls it with a text.
        fetch: async (url, init) => judgeStream(await reach(url as string, init ?? {}), responseBytes),
      }),
      headersOf,
      timeOf,
      // Whatever Connect finds wrong after the judge is in the message itself.
      failureOf: () => misfit,
    }),
  };
}

/** The greatest number that a grpc-timeout holds, by the gRPC specification. */
const GREATEST = 99_999_999;

function grpcTimeout(milliseconds: number): string {
  return `${Math.min(milliseconds, GREATEST)}m`;
}

function decode(type: Parameters<typeof fromBinary>[0], bytes: Uint8Array): Message {
  try {
    return fromBinary(type, bytes);
  } catch {
    throw new NodeError(misfit);
  }
}
