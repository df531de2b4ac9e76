/**
 * The text of a file, slice by slice. A byte that is not UTF-8 ends the reading, because replacement characters would be imported
 * as names.
 */
import { FileProblem } from "./file-problem.ts";

export interface TextSlice {
  readonly text: string;
  /** Bytes of the file up to its end. */
  readonly bytesRead: number;
}

/** Without the byte order mark. */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TextSlice> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new FileProblem("notUtf8");
    }
  };
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.byteLength;
    yield { text: decoded(chunk), bytesRead };
  }
  yield { text: decoded(), bytesRead };
}
