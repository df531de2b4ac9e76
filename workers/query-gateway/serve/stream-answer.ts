/**
 * A server-streaming answer as lines of JSON (decisions 6.2): one message a line; a failure in the middle is a last line
 * `{"error":{"code","message","details"}}`, since the status has already gone out. Asks for the next message only when the
 * reader has taken the one before, and ends the call when the reader leaves.
 */
import type { Message } from "@bufbuild/protobuf";
import type { Result } from "../../platform/result.ts";
import type { GatewayFault } from "../gateway-fault.ts";

export const LINES_TYPE = "application/x-ndjson";

const encoder = new TextEncoder();

export function lineStream(
  messages: AsyncIterable<Result<Message, GatewayFault>>,
  print: (message: Message) => Result<string, GatewayFault>,
  faultText: (fault: GatewayFault) => string,
): ReadableStream<Uint8Array> {
  const iterator = messages[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await iterator.next();
        if (next.done === true) {
          controller.close();
          return;
        }
        const line = next.value.ok ? print(next.value.value) : next.value;
        controller.enqueue(encoder.encode(`${line.ok ? line.value : `{"error":${faultText(line.error)}}`}\n`));
        if (line.ok) return;
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
