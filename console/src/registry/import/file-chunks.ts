/** The bytes of a file in slices, until the signal aborts. */
import { chunksOf } from "../../../../shared/stream-lines.ts";

export async function* fileChunks(file: Blob, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(file.stream())) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
