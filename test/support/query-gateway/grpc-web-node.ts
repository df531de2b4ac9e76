/**
 * A node on a separate port that speaks real gRPC-web: Connect's router over plain HTTP, with the fixture's own descriptors. Each
 * rpc of gwtest.v1.T returns its request; a test may set another handler. Node only.
 */
import type { DescMessage, DescMethod, FileRegistry, Message } from "@bufbuild/protobuf";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenCall {
  readonly method: string;
  readonly headers: Headers;
  readonly message: Message;
}

export type NodeHandler = (call: SeenCall, context: HandlerContext, output: DescMessage) => Message | Promise<Message>;

export interface GrpcWebNode {
  readonly url: string;
  /** The received calls, in order. */
  readonly seen: readonly SeenCall[];
  /** Closes every connection and stops listening. */
  close(): Promise<void>;
}

/** Returns the request, at height 7. */
export const echo: NodeHandler = ({ message }, context) => {
  context.responseHeader.set("x-cosmos-block-height", "7");
  return message;
};

export async function startGrpcWebNode(
  { registry }: { readonly registry: FileRegistry },
  handle: NodeHandler = echo,
  port = 0,
): Promise<GrpcWebNode> {
  const seen: SeenCall[] = [];
  const routes = (router: ConnectRouter): void => {
    const methods = [...registry.files].flatMap(({ services }) => services).flatMap(({ methods: own }) => own);
    for (const method of methods) {
      const note = (message: Message, { requestHeader }: HandlerContext): SeenCall => {
        const call = { method: method.name, headers: requestHeader, message };
        seen.push(call);
        return call;
      };
      if (method.methodKind === "unary") {
        const answer = (message: Message, context: HandlerContext) =>
          handle(note(message, context), context, method.output);
        router.rpc(method, answer as never);
      }
      if (method.methodKind === "server_streaming") {
        router.rpc(method, streamer(method, handle, note) as never);
      }
    }
  };
  const server = createServer(connectNodeAdapter({ routes, connect: false, grpc: false, grpcWeb: true }));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Three messages; the handler makes each, and may fail in between. */
function streamer(
  method: DescMethod,
  handle: NodeHandler,
  note: (message: Message, context: HandlerContext) => SeenCall,
) {
  return async function* stream(message: Message, context: HandlerContext): AsyncGenerator<Message> {
    const call = note(message, context);
    for (let count = 0; count < 3; count += 1) yield await handle(call, context, method.output);
  };
}
