/**
 * A server-streaming call over a Connect transport. Works from descriptors, with no generated code; whatever fails before the
 * first message is the call's own failure.
 */
import type { DescMethodServerStreaming, Message } from "@bufbuild/protobuf";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { failure, success, type Result } from "../../../platform/result.ts";
import type { GatewayFault } from "../../gateway-fault.ts";
import { HEIGHT_HEADER, heightOf, type CallMetadata } from "../call-headers.ts";
import { misfit, NodeError } from "../node-failures.ts";
import type { NodeClient, NodeFailure, NodeTry } from "../upstream.ts";

export function createConnectStream(
  transport: Transport,
  metadata: (call: NodeTry) => CallMetadata,
): NodeClient["stream"] {
  return async (call) => {
    // Connect's iterator cannot be left early, so leaving aborts the call.
    const left = new AbortController();
    const signal = AbortSignal.any([call.signal, left.signal]);
    const { headers, timeoutMs } = metadata(call);
    try {
      const answer = await transport.stream(
        call.bound.method as DescMethodServerStreaming,
        signal,
        timeoutMs,
        headers,
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
      return failure(failureOf(thrown));
    }
  };
}

async function* following(
  first: IteratorResult<Message>,
  messages: AsyncIterator<Message>,
  left: AbortController,
): AsyncGenerator<Result<Message, GatewayFault>, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await messages.next()) yield success(next.value);
  } catch (thrown) {
    yield failure(failureOf(thrown).fault);
  } finally {
    left.abort();
  }
}

/** Whatever Connect finds wrong after the judge is in the message itself. */
function failureOf(thrown: unknown): NodeFailure {
  const { cause } = ConnectError.from(thrown);
  return cause instanceof NodeError ? cause.failure : misfit;
}

async function* only(message: Message): AsyncGenerator<Message, void, undefined> {
  yield message;
}
