/** A node with the built-in descriptor set, and a gateway in front of it. */
import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { entitiesInNode } from "./entities-in-node.ts";
import { gatewayEdge } from "./gateway-edge.ts";
import { ixoImage } from "./gateway-fixture.ts";
import { startGrpcWebNode, type GrpcWebNode, type NodeHandler } from "./grpc-web-node.ts";
import { loadSchema } from "../../../workers/query-gateway/descriptors/schema.ts";

/** Starts a node for the file; `handle` answers its calls. */
export function chainNode() {
  const image = ixoImage();
  const schema = loadSchema(image);
  const { registry } = schema;
  const empty: NodeHandler = (_, context, output) => {
    context.responseHeader.set("x-cosmos-block-height", "7");
    return create(output);
  };

  let node: GrpcWebNode;
  let handle = empty;
  beforeAll(async () => {
    node = await startGrpcWebNode(schema, (...call) => handle(...call));
  });

  beforeEach(() => {
    handle = empty;
  });

  afterAll(() => node.close());
  function edge(deployment: object = {}) {
    const settings = { nodes: [{ kind: "grpc-web", url: node.url }], ...deployment };
    return gatewayEdge({ image, source: entitiesInNode(), deployment: settings });
  }

  return {
    schema,
    registry,
    empty,
    get node() {
      return node;
    },
    get handle() {
      return handle;
    },
    set handle(value) {
      handle = value;
    },
    edge,
  };
}
