/** A file of lines in parts that one request may carry, read in slices, so that its size is no matter. */

export interface FilePart {
  /** The number of its first line in the file, from 1. */
  readonly firstLine: number;
  /** Lines that are done or blank are empty here, so that the others keep their numbers. */
  readonly lines: readonly string[];
  /** Lines that were left out because they are done. */
  readonly skipped: number;
  /** Bytes of the file up to about here. */
  readonly bytesRead: number;
}

/** Lines of a request. The registry takes 1,000; with fewer, stopping and continuing cost less. */
export const PART_LINES = 500;
/** UTF-16 units of a request. Each is 3 bytes of UTF-8 at most, and the registry takes 4 MiB. */
export const PART_LENGTH = 1_300_000;
/** UTF-16 units that are kept of a line. The registry refuses one of more than 256 KiB, so the rest is not held. */
export const LONGEST_LINE = 262_145;

export async function* fileParts(
  file: Blob,
  isDone: (line: number) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<FilePart> {
  let [number, firstLine, length, skipped] = [0, 1, 0, 0];
  let lines: string[] = [];
  for await (const { line, bytesRead } of fileLines(file, signal)) {
    const next = number + 1;
    const done = isDone(next);
    const text = done ? "" : line;
    if (lines.length > 0 && (lines.length === PART_LINES || length + text.length + 1 > PART_LENGTH)) {
      yield { firstLine, lines, skipped, bytesRead };
      lines = [];
      [firstLine, length, skipped] = [next, 0, 0];
    }
    number = next;
    lines.push(text);
    length += text.length + 1;
    if (done) skipped += 1;
  }
  if (lines.length > 0) yield { firstLine, lines, skipped, bytesRead: file.size };
}

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

/** The first and the last line of the file that are done. Another file, or lines added to it or taken out, show in one of them. */
export async function outermostDone(
  file: Blob,
  isDone: (line: number) => boolean,
  signal?: AbortSignal,
): Promise<readonly NumberedLine[]> {
  let [number, first, last]: [number, NumberedLine?, NumberedLine?] = [0];
  for await (const { line } of fileLines(file, signal)) {
    number += 1;
    if (!isDone(number)) continue;
    last = { number, text: line };
    first ??= last;
  }
  return [first, last].filter((each) => each !== undefined);
}

interface FileLine {
  readonly line: string;
  readonly bytesRead: number;
}

/** A line feed at the end of the file does not begin another line. */
async function* fileLines(file: Blob, signal?: AbortSignal): AsyncGenerator<FileLine> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder();
  let [rest, bytesRead] = ["", 0];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      signal?.throwIfAborted();
      bytesRead += part.value.byteLength;
      const pieces = decoder.decode(part.value, { stream: true }).split("\n");
      const last = pieces.pop() ?? "";
      for (const piece of pieces) {
        yield { line: trimmed(rest + piece), bytesRead };
        rest = "";
      }
      if (rest.length < LONGEST_LINE) rest = (rest + last).slice(0, LONGEST_LINE);
    }
    if (rest !== "") yield { line: trimmed(rest), bytesRead };
  } finally {
    await reader.cancel();
  }
}

function trimmed(line: string): string {
  return line.slice(0, LONGEST_LINE).trim();
}

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** For lines that are asked about in ascending order. */
export function doneIn(ranges: readonly LineRange[]): (line: number) => boolean {
  let at = 0;
  return (line) => {
    while ((ranges[at]?.to ?? Infinity) < line) at += 1;
    return (ranges[at]?.from ?? Infinity) <= line;
  };
}

/** A name for the import of a file: its own, in the characters that a name may have. */
export function importIdOf(fileName: string): string {
  const name = fileName.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  return name.slice(0, LONGEST_ID) || "import";
}

const LONGEST_ID = 64;

export function isImportId(id: string): boolean {
  return new RegExp(String.raw`^[\w.-]{1,${LONGEST_ID}}$`).test(id);
}

/** The name with a number behind it that no known import has. */
export function freeImportId(id: string, known: ReadonlySet<string>): string {
  const stem = id.replace(/-\d+$/, "");
  for (let count = 2; ; count += 1) {
    const tail = `-${count}`;
    const candidate = `${stem.slice(0, LONGEST_ID - tail.length)}${tail}`;
    if (!known.has(candidate)) return candidate;
  }
}
