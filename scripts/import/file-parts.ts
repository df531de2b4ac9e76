/** A file of lines in parts that one request may carry; lines that are done already are left out. */
import { createReadStream } from "node:fs";

export interface FilePart {
  /** The number of its first line in the file. */
  readonly firstLine: number;
  /** Done and blank ones are blank here, so that the others keep their numbers. */
  readonly lines: readonly string[];
}

export interface PartBounds {
  readonly lines: number;
  readonly bytes: number;
}

/** What the registry takes in one request. */
const usualBounds: PartBounds = { lines: 1_000, bytes: 4 * 1024 * 1024 };

export async function* fileParts(
  file: string,
  isDone: (line: number) => boolean,
  bounds: PartBounds = usualBounds,
): AsyncGenerator<FilePart> {
  let [number, firstLine, bytes] = [0, 1, 0];
  let lines: string[] = [];
  for await (const { text } of linesOf(createReadStream(file))) {
    number += 1;
    const line = isDone(number) ? "" : text.replace(/\r$/, "");
    const size = Buffer.byteLength(line) + 1;
    if (lines.length > 0 && (lines.length === bounds.lines || bytes + size > bounds.bytes)) {
      yield { firstLine, lines };
      lines = [];
      [firstLine, bytes] = [number, 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield { firstLine, lines };
}

export interface Line {
  readonly text: string;
  /** False for what stands behind the last line feed. */
  readonly isWhole: boolean;
}

/**
 * The lines of NDJSON in UTF-8. A line feed alone ends a line: JSON may hold U+2028 and U+2029 as they are, which
 * `node:readline` takes for ends of lines.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
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

/** How many lines there are, a last one without its end counted. */
export async function countLines(file: string): Promise<number> {
  let [count, last] = [0, 10];
  for await (const chunk of createReadStream(file)) {
    const bytes = chunk as Buffer;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
    last = bytes.at(-1) ?? last;
  }
  return last === 10 ? count : count + 1;
}
