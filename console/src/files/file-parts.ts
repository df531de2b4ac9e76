/** The items of a file in parts that one request may carry, read in slices, so that its size is no matter. */
import type { FileItem, RowFault } from "./file-item.ts";

export interface FilePart {
  /** The number of its first item in the file, from 1. */
  readonly firstLine: number;
  /** Items that are done, blank or have a fault are empty here, so that the others keep their numbers. */
  readonly lines: readonly string[];
  /** Items that are not sent because the file has no valid JSON for them. */
  readonly faults: readonly ItemFault[];
  /** Items that were left out because they are done. */
  readonly skipped: number;
  /** Bytes of the file up to about here. */
  readonly bytesRead: number;
}

export interface ItemFault {
  readonly line: number;
  readonly kind: RowFault;
  readonly column: string;
}

/** Lines of a request. The registry takes 1,000; with fewer, stopping and continuing cost less. */
export const PART_LINES = 500;
/** UTF-16 units of a request. Each is 3 bytes of UTF-8 at most, and the registry takes 4 MiB. */
export const PART_LENGTH = 1_300_000;

export async function* fileParts(
  items: AsyncIterable<FileItem>,
  isDone: (line: number) => boolean,
  mostLines = PART_LINES,
): AsyncGenerator<FilePart> {
  let [number, firstLine, length, skipped, read] = [0, 1, 0, 0, 0];
  let lines: string[] = [];
  let faults: ItemFault[] = [];
  for await (const { text: whole, fault, bytesRead } of items) {
    const next = number + 1;
    const done = isDone(next);
    const text = done ? "" : whole;
    if (lines.length > 0 && (lines.length === mostLines || length + text.length + 1 > PART_LENGTH)) {
      yield { firstLine, lines, faults, skipped, bytesRead: read };
      [lines, faults] = [[], []];
      [firstLine, length, skipped] = [next, 0, 0];
    }
    number = next;
    read = bytesRead;
    lines.push(text);
    length += text.length + 1;
    if (done) skipped += 1;
    else if (fault !== undefined) faults.push({ line: number, ...fault });
  }
  if (lines.length > 0) yield { firstLine, lines, faults, skipped, bytesRead: read };
}

export interface NumberedItem {
  readonly number: number;
  readonly text: string;
}

/** The first and the last item of the file that are done. Another file, or items added to it or taken out, show in one of them. */
export async function outermostDone(
  items: AsyncIterable<FileItem>,
  isDone: (line: number) => boolean,
): Promise<readonly NumberedItem[]> {
  let [number, first, last]: [number, NumberedItem?, NumberedItem?] = [0];
  for await (const { text } of items) {
    number += 1;
    if (!isDone(number)) continue;
    last = { number, text };
    first ??= last;
  }
  return [first, last].filter((each) => each !== undefined);
}

/** The first item that can be sent: by it an earlier import of the same file is known. */
export async function firstItem(items: AsyncIterable<FileItem>): Promise<NumberedItem | undefined> {
  let number = 0;
  for await (const { text } of items) {
    number += 1;
    if (text !== "") return { number, text };
  }
  return undefined;
}
