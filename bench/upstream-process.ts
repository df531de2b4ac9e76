/**
 * A chain node in a separate process, for the query gateway: real gRPC-web by Connect's router with the descriptor set, and
 * prepared answers. Started by upstream-node.ts; it ends with its parent.
 */
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { loadSchema } from "../workers/query-gateway/descriptors/schema.ts";
import { entityPage } from "./entity-page.ts";

process.on("disconnect", () => process.exit());
const PAGE = 100;

const { methods } = loadSchema(readFileSync(new URL("../proto/descriptors/ixo.binpb", import.meta.url)));
const params = rpc("ixo.token.v1beta1.Query", "Params");
const list = rpc("ixo.entity.v1beta1.Query", "EntityList");
const answers = new Map<DescMethod, Message>([
  [params, create(params.output, { params: { ixo1155ContractCode: 25n } })],
  [list, entityPage(list.output, PAGE)],
]);

const routes = (router: ConnectRouter): void => {
  for (const [method, message] of answers) {
    const answer = (_: Message, { responseHeader }: HandlerContext): Message => {
      responseHeader.set("x-cosmos-block-height", "7");
      return message;
    };
    router.rpc(method as never, answer as never);
  }
};
const server = createServer(connectNodeAdapter({ routes, connect: false, grpc: false, grpcWeb: true }));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

function rpc(service: string, name: string): DescMethod {
  const found = methods.find(({ method }) => method.parent.typeName === service && method.name === name);
  if (found === undefined) throw new Error(`the image has no ${service}/${name}`);
  return found.method;
}
