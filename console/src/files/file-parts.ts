/** The items of a file in parts that fit one request, read in slices, so that files can have any size. */
import type { FileItem, RowFault } from "./file-item.ts";

export interface FilePart {
  /** The number of its first item in the file, from 1. */
  readonly firstLine: number;
  /** Done, blank and faulty items are empty here, so that the others keep their numbers. */
  readonly lines: readonly string[];
  /** Items that are not sent because the file has no valid JSON for them. */
  readonly faults: readonly ItemFault[];
  /** The number of omitted items that are already done. */
  readonly skipped: number;
  /** Approximate position in the file, bytes. */
  readonly bytesRead: number;
}

export interface ItemFault {
  readonly line: number;
  readonly kind: RowFault;
  readonly column: string;
}

/** Lines per request. The registry accepts 1,000; with fewer, stopping and resuming cost less. */
export const PART_LINES = 500;
/** UTF-16 units per request. Each takes at most 3 bytes of UTF-8, and the registry accepts 4 MiB. */
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

/** The first and the last done item of the file. Another file, or inserted or removed items, would change one of them. */
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

/** The first item that can be sent, which identifies an earlier import of the file. */
export async function firstItem(items: AsyncIterable<FileItem>): Promise<NumberedItem | undefined> {
  let number = 0;
  for await (const { text } of items) {
    number += 1;
    if (text !== "") return { number, text };
  }
  return undefined;
}
