/**
 * A node with server reflection, over real gRPC (HTTP/2): its answers come from a descriptor set, with all options in it. Node
 * only.
 */
import {
  create,
  fromBinary,
  toBinary,
  type DescMethodBiDiStreaming,
  type DescMethodUnary,
  type Message,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema, type FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { reflectionMethod } from "../../../scripts/gateway/reflection.ts";
import { loadSchema } from "../../../workers/query-gateway/descriptors/schema.ts";

export interface ReflectingNodeOptions {
  /** Such as `grpc.reflection.v1`; empty for a node without reflection. */
  readonly packages: readonly string[];
  /** Names of files that it does not return. */
  readonly hidden?: readonly string[];
  /** Whether it returns a file together with its imports. */
  readonly withImports?: boolean;
  /** The Any types that it lists by the Cosmos service for them; undefined: it does not have this service. */
  readonly anyTypes?: readonly string[];
}

export interface ReflectingNode {
  readonly url: string;
  close(): Promise<void>;
}

const NOT_FOUND = 5;

export async function startReflectingNode(
  image: Uint8Array,
  { packages, hidden = [], withImports = false, anyTypes }: ReflectingNodeOptions,
): Promise<ReflectingNode> {
  const files = fromBinary(FileDescriptorSetSchema, image).file.filter(({ name }) => !hidden.includes(name));
  const byName = new Map(files.map((file) => [file.name, file]));
  const bySymbol = new Map(files.flatMap((file) => symbolsOf(file).map((symbol) => [symbol, file] as const)));
  const services = files.flatMap((file) => file.service.map(({ name }) => `${file.package}.${name}`));

  function described(file: FileDescriptorProto | undefined): object {
    if (file === undefined)
      return { case: "errorResponse", value: { errorCode: NOT_FOUND, errorMessage: "not found" } };
    const sent = new Set([file]);
    if (withImports)
      for (const { dependency } of sent)
        for (const name of dependency) {
          const found = byName.get(name);
          if (found !== undefined) sent.add(found);
        }
    const fileDescriptorProto = [...sent].map((each) => toBinary(FileDescriptorProtoSchema, each));
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }

  function answer({
    messageRequest,
  }: {
    readonly messageRequest: { readonly case?: string; readonly value?: string };
  }) {
    const { case: asked, value = "" } = messageRequest;
    switch (asked) {
      case "listServices":
        return { case: "listServicesResponse", value: { service: services.map((name) => ({ name })) } };
      case "fileContainingSymbol":
        return described(bySymbol.get(value));
      default:
        return described(byName.get(value));
    }
  }

  const routes = (router: ConnectRouter): void => {
    for (const packageName of packages) {
      const method = reflectionMethod(packageName);
      router.rpc(method, reflecting(method, answer) as never);
    }
    if (anyTypes !== undefined) listAnyTypes(router, image, anyTypes);
  };
  const server = createServer(connectNodeAdapter({ routes, connect: false, grpc: true, grpcWeb: false }));
  const sessions = new Set<{ destroy: () => void }>();
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

function reflecting(method: DescMethodBiDiStreaming, answer: (request: never) => object) {
  return async function* reflect(requests: AsyncIterable<Message>): AsyncGenerator<Message> {
    for await (const request of requests) yield create(method.output, { messageResponse: answer(request as never) });
  };
}

/** Like a Cosmos node: one interface, and the types that implement it. */
function listAnyTypes(router: ConnectRouter, image: Uint8Array, types: readonly string[]): void {
  const service = loadSchema(image).registry.getService("cosmos.base.reflection.v1beta1.ReflectionService");
  const [all, implementations] = ["listAllInterfaces", "listImplementations"].map(
    (name) => service?.method[name] as DescMethodUnary,
  );
  if (all === undefined || implementations === undefined) throw new Error("the image has no Cosmos reflection");
  router.rpc(all, () => create(all.output, { interfaceNames: ["cosmos.base.v1beta1.Msg"] }));
  const implementationMessageNames = types.map((name) => `/${name}`);
  router.rpc(implementations, () => create(implementations.output, { implementationMessageNames }));
}

function symbolsOf({ package: scope, messageType, service }: FileDescriptorProto): readonly string[] {
  return [...messageType, ...service].map(({ name }) => `${scope}.${name}`);
}
