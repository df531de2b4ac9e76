/**
 * A node that speaks gRPC-web: unary calls by our own code, because Connect's transport would encode and decode each
 * message once more (docs/decisions/008-query-gateway.md), streams through Connect. Redirects are not followed; only
 * the message, the height and the time of the caller are sent.
 */
import {
  fromBinary,
  toBinary,
  type DescMessage,
  type DescMethodServerStreaming,
  type Message,
} from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Failure } from "../../../../platform/failure.ts";
import { failure, success, type Result } from "../../../../platform/result.ts";
import { decodeError, resultOf, unreachable } from "../node-failures.ts";
import {
  HEIGHT_HEADER,
  reportedHeight,
  type NodeClient,
  type NodeFailure,
  type NodeSettings,
  type NodeStatus,
  type NodeTry,
  type UpstreamDependencies,
} from "../upstream.ts";
import { CallEnded, checkedStream, readAnswer } from "./answer.ts";
import { writeMessage } from "./frames.ts";

interface GrpcWebClientOptions extends Pick<UpstreamDependencies, "fetch" | "clock"> {
  readonly node: Pick<NodeSettings, "url" | "headers">;
  /** Maximum bytes of a response, or of one message of a stream. */
  readonly responseBytes: number;
}

/** The maximum number in a grpc-timeout, by the gRPC specification. */
const GRPC_TIMEOUT_MAX = 99_999_999;

export function createGrpcWebClient({ node, fetch, clock, responseBytes }: GrpcWebClientOptions): NodeClient {
  // In lower case like ours, because one name in two spellings would be sent as two values.
  const own = Object.fromEntries(Object.entries(node.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const headersOf = ({ height }: NodeTry): Readonly<Record<string, string>> => ({
    ...own,
    ...(height !== undefined && { [HEIGHT_HEADER]: String(height) }),
  });
  /** Sent as `grpc-timeout`, so that a node stops working when the caller no longer waits. Zero would mean forever. */
  const timeoutOf = ({ deadline }: NodeTry): number => Math.max(1, Math.ceil(deadline - clock()));

  async function send(url: string, init: RequestInit): Promise<Response> {
    try {
      // Connect's transport requests "error", which workerd does not support.
      return await fetch(url, { ...init, redirect: "manual" });
    } catch {
      throw new CallEnded(unreachable);
    }
  }

  const transport = createGrpcWebTransport({
    baseUrl: node.url,
    // The transport calls it with a text.
    fetch: async (url, init) => checkedStream(await send(url as string, init ?? {}), responseBytes),
  });

  return {
    async call(call) {
      const { method, path } = call.bound;
      try {
        const response = await send(`${node.url}/${path}`, {
          method: "POST",
          headers: {
            ...headersOf(call),
            "content-type": "application/grpc-web+proto",
            "x-grpc-web": "1",
            "grpc-timeout": `${Math.min(timeoutOf(call), GRPC_TIMEOUT_MAX)}m`,
          },
          body: writeMessage(toBinary(method.input, call.message)),
          signal: call.signal,
        });
        const { message, ...more } = await readAnswer(response, responseBytes);
        return success({ kind: "message", message: decode(method.output, message), ...more });
      } catch (thrown) {
        if (thrown instanceof CallEnded) return resultOf(thrown.outcome);
        throw thrown;
      }
    },
    async stream(call) {
      // Connect's iterator cannot be left early, so leaving aborts the call.
      const left = new AbortController();
      const signal = AbortSignal.any([call.signal, left.signal]);
      const method = call.bound.method as DescMethodServerStreaming;
      try {
        const answer = await transport.stream(method, signal, timeoutOf(call), headersOf(call), only(call.message));
        const messages = answer.message[Symbol.asyncIterator]();
        // A failure before the first message still determines the status of the whole.
        const first = await messages.next();
        const height = reportedHeight(answer.header.get(HEIGHT_HEADER));
        const rest = following(first, messages, left);
        return success({ kind: "stream", messages: rest, ...(height !== undefined && { height }) });
      } catch (thrown) {
        left.abort();
        return resultOf(outcomeOf(thrown));
      }
    },
  };
}

function decode(type: DescMessage, bytes: Uint8Array): Message {
  try {
    return fromBinary(type, bytes);
  } catch {
    throw new CallEnded(decodeError);
  }
}

async function* following(
  first: IteratorResult<Message>,
  messages: AsyncIterator<Message>,
  left: AbortController,
): AsyncGenerator<Result<Message, NodeStatus | Failure>, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await messages.next()) yield success(next.value);
  } catch (thrown) {
    yield failure(outcomeOf(thrown));
  } finally {
    left.abort();
  }
}

/** Any fault that Connect finds after our checks is in the message itself. */
function outcomeOf(thrown: unknown): NodeStatus | NodeFailure {
  const { cause } = ConnectError.from(thrown);
  return cause instanceof CallEnded ? cause.outcome : decodeError;
}

async function* only(message: Message): AsyncGenerator<Message, void, undefined> {
  yield message;
}
