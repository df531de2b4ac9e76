/** The client of each kind of node. The embedded node is the edge's own and comes in from there. */
import { createAbciQueryClient } from "./abci-query-client.ts";
import { createGrpcWebClient } from "./grpc-web/grpc-web-client.ts";
import { createLcdClient } from "./lcd-client.ts";
import type { NodeClient, NodeSettings, UpstreamParts } from "./upstream.ts";

export function createNodeClient(
  node: NodeSettings,
  {
    embedded,
    fetch,
    clock,
    settings: { responseBytes },
  }: Pick<UpstreamParts, "embedded" | "fetch" | "clock" | "settings">,
): NodeClient {
  switch (node.kind) {
    case "grpc-web":
      return createGrpcWebClient({ node, fetch, clock, responseBytes });
    case "lcd":
      return createLcdClient({ node, fetch, responseBytes });
    case "abci-query":
      return createAbciQueryClient({ node, fetch, responseBytes });
    case "embedded":
      return embedded;
  }
}
