/**
 * A server-streaming response as lines of JSON: one message per line; a later error is a last line
 * `{"error":{"code","message","details"}}`, because the status has already been sent. The next message is requested
 * only after the reader has taken the previous one; the call ends when the reader disconnects.
 */
import type { Message } from "@bufbuild/protobuf";
import { failure, success } from "../../../platform/result.ts";
import type { Deployment } from "../deployments/deployment.ts";
import type { UpstreamStream } from "../upstream/upstream.ts";
import { internalError } from "../upstream/node-failures.ts";
import type { PlannedCall } from "./plan-call.ts";
import { heightHeaders, printDocument } from "./response.ts";
import { errorBody, errorResponse, rpcErrorOf } from "./rpc-status.ts";
import type { RequestContext } from "./request-context.ts";
import { detailWriter, upstreamCall } from "./unary-answer.ts";

export const LINES_TYPE = "application/x-ndjson";

const encoder = new TextEncoder();

export async function answerStream(
  { upstream }: Deployment,
  call: PlannedCall,
  { clock, request }: RequestContext,
): Promise<Response> {
  const opened = await upstream.stream(
    upstreamCall(call, { deadline: clock() + call.timeoutMs, signal: request.signal }),
  );
  const outcome = opened.ok ? opened.value : opened.error;
  if ("kind" in outcome && outcome.kind === "stream") {
    const { messages, height } = outcome;
    const headers = { "Content-Type": LINES_TYPE, "Cache-Control": "no-store", ...heightHeaders(height?.toString()) };
    return new Response(lines(call, messages), { headers });
  }
  const error = rpcErrorOf(outcome);
  return errorResponse(error, errorBody(error, detailWriter(call)));
}

function lines(call: PlannedCall, messages: UpstreamStream["messages"]): ReadableStream<Uint8Array> {
  const iterator = messages[Symbol.asyncIterator]();
  const print = (message: Message) => {
    const document = printDocument(call.route.response, message, call.served.writer);
    return document.ok ? success(new TextDecoder().decode(document.value.body)) : failure(internalError);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) {
          controller.close();
          return;
        }
        const printed = next.value.ok ? print(next.value.value) : next.value;
        const line = printed.ok
          ? printed.value
          : `{"error":${errorBody(rpcErrorOf(printed.error), detailWriter(call))}}`;
        controller.enqueue(encoder.encode(`${line}\n`));
        if (printed.ok) return;
        controller.close();
        await iterator.return?.();
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    // Nothing is fetched ahead of the reader.
    { highWaterMark: 0 },
  );
}
