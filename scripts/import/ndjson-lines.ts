/** The lines of an NDJSON answer or export. A line feed alone ends a line. What follows the last one is marked as incomplete. */

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
