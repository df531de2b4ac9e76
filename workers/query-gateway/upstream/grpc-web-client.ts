/**
 * A node that speaks gRPC-web (contract D, sections 1 and 7.1). Connect's transport writes the request and reads the
 * message; its fetch is ours: no redirect is followed, no answer goes unjudged, nothing of the caller but the message,
 * the height and the time goes out.
 */
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { createConnectClient } from "./connect-client.ts";
import { judgeAnswer, judgeStream } from "./grpc-web-answer.ts";
import { noAnswer, NodeError, unreachable } from "./node-error.ts";
import type { NodeClient, NodeSettings, UpstreamParts } from "./upstream.ts";

export interface GrpcWebClientParts extends Pick<UpstreamParts, "fetch" | "clock"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  /** Bytes of an answer; of one message where they are streamed. */
  readonly responseBytes: number;
}

export function createGrpcWebClient({ node, fetch, clock, responseBytes }: GrpcWebClientParts): NodeClient {
  const transportOver = (judge: (response: Response) => Response | Promise<Response>) =>
    createGrpcWebTransport({
      baseUrl: node.url,
      // The transport calls it with a text.
      fetch: async (url, init) => judge(await reach(url as string, init ?? {})),
    });

  const reach = async (url: string, init: RequestInit): Promise<Response> => {
    try {
      // The transport wants "error", which workerd refuses to do.
      return await fetch(url, { ...init, redirect: "manual" });
    } catch {
      throw new NodeError(unreachable);
    }
  };

  const clientOver = (judge: (response: Response) => Response | Promise<Response>): NodeClient =>
    createConnectClient({
      transport: transportOver(judge),
      clock,
      headers: node.headers,
      // Whatever Connect finds wrong after the judge is in the message itself.
      failureOf: () => noAnswer("its message does not fit the schema"),
    });
  return {
    call: clientOver((response) => judgeAnswer(response, responseBytes)).call,
    stream: clientOver((response) => judgeStream(response, responseBytes)).stream,
  };
}
