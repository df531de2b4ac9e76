/** Nodes with the fixture's descriptor set for CometBFT's RPC, and requests to a gateway in front of them. */
import { create, toBinary, type JsonObject } from "@bufbuild/protobuf";
import { fromJson } from "@bufbuild/protobuf";
import { entitiesInNode } from "./entities-in-node.ts";
import { gatewayEdge, type GatewayEdge } from "./gateway-edge.ts";
import { ixoImage } from "./gateway-fixture.ts";
import { startGrpcWebNode } from "./grpc-web-node.ts";
import { loadSchema } from "../../../workers/query-gateway/descriptors/schema.ts";

export const image = ixoImage();
const schema = loadSchema(image);
export const closing: (() => Promise<void>)[] = [];

export function typeNamed(name: string) {
  const type = schema.registry.getMessage(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

export const balance = { balance: { denom: "uixo", amount: "5" } };
export const BALANCE = "/cosmos.bank.v1beta1.Query/Balance";
export const balanceBytes = () => encoded("cosmos.bank.v1beta1.QueryBalanceResponse", balance);

export function encoded(name: string, json: JsonObject): Uint8Array {
  return toBinary(typeNamed(name), fromJson(typeNamed(name), json, { registry: schema.registry }));
}

export function edge(deployment: object): GatewayEdge {
  return gatewayEdge({ image, source: entitiesInNode(), deployment });
}

/** A node that answers over gRPC-web: a balance, and information about itself. */
export async function grpcWebNode() {
  const node = await startGrpcWebNode(schema, ({ method, headers }, context, output) => {
    context.responseHeader.set("x-cosmos-block-height", headers.get("x-cosmos-block-height") ?? "12");
    const json: Readonly<Record<string, JsonObject>> = {
      Balance: balance,
      GetLatestBlock: { block: { header: { chain_id: "ixo-5", height: "12", time: "2026-11-23T10:00:00Z" } } },
      GetNodeInfo: {
        default_node_info: { network: "ixo-5", version: "0.38.17", protocol_version: { p2p: "8", block: "11" } },
        application_version: { app_name: "ixod", version: "8.0.0" },
      },
    };
    const found = json[method];
    return found === undefined ? create(output) : fromJson(output, found, { registry: schema.registry });
  });
  closing.push(node.close);
  return node;
}

export const post = (gateway: GatewayEdge, body: unknown, path = "/ixo/rpc") =>
  gateway.ask(`POST ${path}`, { body: typeof body === "string" ? body : JSON.stringify(body) });

export const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });
