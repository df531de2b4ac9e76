/**
 * A server-streaming call over a Connect transport. Works from descriptors, with no generated code; whatever fails before the
 * first message is the call's own failure.
 */
import type { DescMethodServerStreaming, Message } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { failure, success, type Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";
import { HEIGHT_HEADER, heightOf } from "./call-headers.ts";
import { NodeError } from "./node-error.ts";
import type { NodeClient, NodeFailure, NodeTry } from "./upstream.ts";

export interface ConnectStreamParts {
  readonly transport: Transport;
  /** What a call sends beside its message and its time. */
  readonly headersOf: (call: NodeTry) => Readonly<Record<string, string>>;
  /** Whole milliseconds that a call has, at least 1. */
  readonly timeOf: (call: NodeTry) => number;
  /** What an error is that Connect itself makes. */
  readonly failureOf: (error: ConnectError) => NodeFailure;
}

export function createConnectStream({
  transport,
  headersOf,
  timeOf,
  failureOf,
}: ConnectStreamParts): NodeClient["stream"] {
  const failed = (thrown: unknown) => {
    const error = ConnectError.from(thrown);
    return failure(error.cause instanceof NodeError ? error.cause.failure : failureOf(error));
  };

  return async (call) => {
    // Connect's iterator cannot be left early, so leaving aborts the call.
    const left = new AbortController();
    const signal = AbortSignal.any([call.signal, left.signal]);
    try {
      const answer = await transport.stream(
        call.bound.method as DescMethodServerStreaming,
        signal,
        timeOf(call),
        headersOf(call),
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
