/** The bytes of a file in slices. Safari cannot iterate over a stream. */
export async function* fileChunks(file: Blob, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal?.throwIfAborted();
      yield part.value;
    }
  } finally {
    await reader.cancel();
  }
}
