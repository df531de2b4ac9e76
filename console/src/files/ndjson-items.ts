/** NDJSON: one object on each line. A line feed at the end of the file does not begin another line. */
import type { TextSlice } from "./decoded-text.ts";
import { LONGEST_ITEM, type FileItem } from "./file-item.ts";

/** Only a line feed ends a line: JSON may contain unescaped U+2028 and U+2029. */
export async function* ndjsonItems(slices: AsyncIterable<TextSlice>): AsyncGenerator<FileItem> {
  let [rest, read] = ["", 0];
  for await (const { text, bytesRead } of slices) {
    read = bytesRead;
    const pieces = text.split("\n");
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield { text: trimmed(rest + piece), bytesRead };
      rest = "";
    }
    if (rest.length < LONGEST_ITEM) rest = (rest + last).slice(0, LONGEST_ITEM);
  }
  if (rest !== "") yield { text: trimmed(rest), bytesRead: read };
}

function trimmed(line: string): string {
  return line.slice(0, LONGEST_ITEM).trim();
}
