/** Records as NDJSON, one JSON object per line, written while the client reads. */
import type { JsonObject } from "../json.ts";

/** Calls `onFailure` and breaks the stream off if a record cannot be read. Rejects if the first one cannot. */
export async function ndjsonOf(
  records: AsyncIterator<JsonObject>,
  onFailure: (thrown: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  let next = await records.next();
  const encoder = new TextEncoder();
  const source: UnderlyingSource<Uint8Array> = {
    async pull(controller) {
      if (next.done === true) return controller.close();
      controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      try {
        next = await records.next();
      } catch (thrown) {
        onFailure(thrown);
        controller.error(new Error("The copy is incomplete"));
      }
    },
  };
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}

/** The last line: a copy without it is incomplete. */
export const END_OF_COPY: JsonObject = { kind: "end" };
