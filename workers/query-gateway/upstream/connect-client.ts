/**
 * A Connect transport as a node: of the embedded node, and below the gRPC-web client. Works from descriptors, with no
 * generated code. One try, one answer; who is asked next is pool.ts's affair.
 */
import type { DescMethodServerStreaming, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { failure, success, type Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import { HEIGHT_HEADER, heightOf } from "./call-headers.ts";
import { NodeError, nodeSaid } from "./node-error.ts";
import type { NodeClient, NodeFailure, NodeTry } from "./upstream.ts";

export interface ConnectClientParts {
  readonly transport: Transport;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What an error is that Connect itself makes; that of the node's own handlers unless told otherwise. */
  readonly failureOf?: (error: ConnectError) => NodeFailure;
}

export function createConnectClient({
  transport,
  clock,
  headers = {},
  failureOf = handlersFailure,
}: ConnectClientParts): NodeClient {
  /** The transport's arguments after the method, without the message. */
  const terms = ({ signal, deadline, height }: NodeTry) =>
    [
      signal,
      // Sent as grpc-timeout, so that a node stops working when nobody waits. Zero would mean forever.
      Math.max(1, Math.ceil(deadline - clock())),
      { ...headers, ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }) },
    ] as const;

  const failed = (thrown: unknown) => {
    const error = ConnectError.from(thrown);
    return failure(error.cause instanceof NodeError ? error.cause.failure : failureOf(error));
  };

  return {
    call: async (call) => {
      try {
        const answer = await transport.unary(call.bound.method as DescMethodUnary, ...terms(call), call.message);
        const height = heightOf(answer.header.get(HEIGHT_HEADER)) ?? heightOf(answer.trailer.get(HEIGHT_HEADER));
        return success({ kind: "message", message: answer.message, height });
      } catch (thrown) {
        return failed(thrown);
      }
    },
    stream: async (call) => {
      // Connect's iterator cannot be left early, so leaving aborts the call.
      const left = new AbortController();
      const signal = AbortSignal.any([call.signal, left.signal]);
      try {
        const answer = await transport.stream(
          call.bound.method as DescMethodServerStreaming,
          ...terms({ ...call, signal }),
          only(call.message),
        );
        const messages = answer.message[Symbol.asyncIterator]();
        // Whatever fails before the first message still decides about the status of the whole.
        const first = await messages.next();
        return success({
          height: heightOf(answer.header.get(HEIGHT_HEADER)),
          messages: following(first, messages, left),
        });
      } catch (thrown) {
        left.abort();
        return failed(thrown);
      }
    },
  };

  async function* following(
    first: IteratorResult<Message>,
    messages: AsyncIterator<Message>,
    left: AbortController,
  ): AsyncGenerator<Result<Message, GatewayFault>, void, undefined> {
    try {
      for (let next = first; next.done !== true; next = await messages.next()) yield success(next.value);
    } catch (thrown) {
      yield failure(failed(thrown).error.fault);
    } finally {
      left.abort();
    }
  }
}

async function* only(message: Message): AsyncGenerator<Message, void, undefined> {
  yield message;
}

/** Without the prefix that Connect's own message has. */
function handlersFailure({ code, rawMessage, details, metadata }: ConnectError): NodeFailure {
  const height = heightOf(metadata.get(HEIGHT_HEADER));
  return nodeSaid({
    code,
    message: rawMessage,
    details: details.flatMap((detail) =>
      "type" in detail ? [{ kind: "any" as const, typeUrl: `/${detail.type}`, value: detail.value }] : [],
    ),
    ...(height !== undefined && { height }),
  });
}
