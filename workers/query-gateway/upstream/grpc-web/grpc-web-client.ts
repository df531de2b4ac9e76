/**
 * A node that speaks gRPC-web (contract D, sections 1 and 7.1): unary calls by ourselves, streams by Connect. No redirect is
 * followed, no answer goes unjudged, nothing of the caller but the message, the height and the time goes out.
 */
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { NodeError, unreachable } from "../node-error.ts";
import type { NodeClient, NodeSettings, UpstreamParts } from "../upstream.ts";
import { metadataOf } from "./call-metadata.ts";
import { createConnectStream } from "./connect-stream.ts";
import { judgeStream } from "./grpc-web-answer.ts";
import { createUnaryCall } from "./unary-call.ts";

export interface GrpcWebClientParts extends Pick<UpstreamParts, "fetch" | "clock"> {
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
