/** The bytes of a stream, and the lines of NDJSON in them, as they arrive. */

export interface Line {
  readonly text: string;
  /** False for the text after the last line feed, whose own line feed is missing. */
  readonly isWhole: boolean;
}

/**
 * The lines of NDJSON in UTF-8. Only a line feed ends a line: JSON may contain raw U+2028 and U+2029, which
 * `node:readline` treats as line ends.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
  let begun: string[] = [];
  for await (const bytes of chunks) {
    const [first = "", ...more] = decoder.decode(bytes, { stream: true }).split("\n");
    begun.push(first);
    for (const next of more) {
      yield { text: begun.join(""), isWhole: true };
      begun = [next];
    }
  }
  const rest = begun.join("") + decoder.decode();
  if (rest !== "") yield { text: rest, isWhole: false };
}

/** The bytes of a stream as they arrive. A reader that stops early cancels it. Safari cannot iterate over a stream. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // Not awaited; it rejects for a stream that broke off.
    reader.cancel().catch(() => undefined);
  }
}
