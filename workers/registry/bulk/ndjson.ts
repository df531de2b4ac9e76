/**
 * Responses of newline-delimited JSON. Lines are produced as the client reads them, and no longer after it disconnects.
 */
import { describeThrown, type Logger } from "../../../platform/log.ts";

export const NDJSON = "application/x-ndjson";

/**
 * `parts` yields lists of lines. If it throws, the stream is aborted, so that a truncated response never looks
 * complete.
 */
export function ndjsonResponse(parts: AsyncGenerator<readonly object[]>, log: Logger): Response {
  const encoder = new TextEncoder();
  // After the client disconnects, the stream accepts no data and no error.
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const part: IteratorResult<readonly object[], unknown> = await parts.next();
          if (isCancelled) return;
          if (part.done === true) controller.close();
          else controller.enqueue(encoder.encode(part.value.map((line) => `${JSON.stringify(line)}\n`).join("")));
        } catch (thrown) {
          if (isCancelled) return;
          log.error("stream-failed", { reason: describeThrown(thrown) });
          controller.error(thrown);
        }
      },
      async cancel() {
        isCancelled = true;
        await parts.return(undefined);
      },
    },
    // Produce nothing before the client asks for it.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "Content-Type": NDJSON } });
}

/**
 * Produces the first part before the response starts, so that an early failure becomes a problem response with its
 * status.
 */
export async function startedStream<Part>(parts: AsyncGenerator<Part>): Promise<AsyncGenerator<Part>> {
  const first = await parts.next();
  return (async function* () {
    try {
      if (first.done !== true) {
        yield first.value;
        yield* parts;
      }
    } finally {
      await parts.return(undefined);
    }
  })();
}
