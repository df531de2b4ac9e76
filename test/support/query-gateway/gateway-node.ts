/** A chain profile of the gateway with a real gRPC-web node on a port; the test sets the node's answers. Node only. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { loadSchema } from "../../../workers/query-gateway/descriptors/schema.ts";
import { entitiesInNode } from "./entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "./gateway-edge.ts";
import { echo, startGrpcWebNode, type GrpcWebNode, type NodeHandler } from "./grpc-web-node.ts";

export interface GatewayNode {
  /** Handles the next calls; reset to `usual` before each test. */
  handler: NodeHandler;
  readonly seen: GrpcWebNode["seen"];
  readonly url: string;
  edge(deployment?: object, env?: object, platform?: object): GatewayEdge;
  /** How often the node was called while this ran. */
  callsDuring(work: () => Promise<unknown>): Promise<number>;
}

/** Starts the node before all tests of the file, and stops it after them. */
export function gatewayNode(image: Uint8Array, usual: NodeHandler = echo): GatewayNode {
  let node: GrpcWebNode | undefined;
  const started = (): GrpcWebNode => {
    if (node === undefined) throw new Error("the node runs during tests only");
    return node;
  };
  const gateway: GatewayNode = {
    handler: usual,
    get seen() {
      return started().seen;
    },
    get url() {
      return started().url;
    },
    edge(deployment = {}, env = {}, platform = {}) {
      const nodes = [{ name: "n", kind: "grpc-web", url: started().url }];
      const settings = { nodes, chainId: "fixture-1", upstream: { retries: 0 }, ...deployment };
      return gatewayEdge({ image, source: entitiesInNode(), deployment: settings, env, platform });
    },
    async callsDuring(work) {
      const before = started().seen.length;
      await work();
      return started().seen.length - before;
    },
  };
  beforeAll(async () => {
    node = await startGrpcWebNode(loadSchema(image), (...call) => gateway.handler(...call));
  });
  beforeEach(() => {
    gateway.handler = usual;
  });
  afterAll(() => node?.close());
  return gateway;
}
