/** Answers that are streamed line by line: what the reader takes is made, and nothing more once the reader has left. */
import { describeThrown, type Logger } from "../../../platform/log.ts";

export const NDJSON = "application/x-ndjson";

/** `parts` yields lists of lines. What it throws breaks the stream off, so that a cut answer never looks whole. */
export function ndjsonResponse(parts: AsyncGenerator<readonly object[]>, log: Logger): Response {
  const encoder = new TextEncoder();
  // A stream that its reader has left takes nothing more, and no failure.
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
    // Nothing is made ahead of the reader.
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "Content-Type": NDJSON } });
}

/** The first part is made before anything is answered, so that a failure at the start is a problem with its status. */
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
