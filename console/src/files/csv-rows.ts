/**
 * The rows of a CSV file, slice by slice. Papa Parse handles quotes, separators and line breaks in cells; this module limits
 * memory.
 */
// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no other way into each project that reads it
/// <reference path="./papaparse.d.ts" />
import Papa from "papaparse";
import type { TextSlice } from "./decoded-text.ts";
import { FileProblem } from "./file-problem.ts";

export const separators = [",", ";", "\t", "|"] as const;
export type Separator = (typeof separators)[number];

export interface CsvStyle {
  readonly separator: Separator;
  readonly newline: "\n" | "\r";
}

export interface CsvRow {
  readonly cells: readonly string[];
  readonly bytesRead: number;
}

/** Maximum UTF-16 units of one row: four times the registry's limit. An unclosed quote is detected within them. */
export const LONGEST_ROW = 1_048_576;

export async function* csvRows(
  slices: AsyncIterable<TextSlice>,
  { separator, newline }: CsvStyle,
): AsyncGenerator<CsvRow> {
  const parser = new Papa.Parser({ delimiter: separator, newline });
  let [rest, count, read] = ["", 0, 0];
  const parsed = function* (text: string, isEnd: boolean): Generator<CsvRow> {
    const { data, errors, meta } = parser.parse(text, 0, !isEnd);
    // An error in an incomplete row may not be one.
    const wrong = errors.find(({ row }) => isEnd || row < data.length);
    for (const cells of data.slice(0, wrong?.row)) yield { cells: withoutReturn(cells), bytesRead: read };
    // After a misplaced quote, the end of a row is unknown.
    if (wrong !== undefined) throw new FileProblem("openQuote", String(count + wrong.row + 1));
    count += data.length;
    rest = isEnd ? "" : text.slice(meta.cursor);
    if (rest.length > LONGEST_ROW) throw new FileProblem("openQuote", String(count + 1));
  };
  for await (const { text, bytesRead } of slices) {
    read = bytesRead;
    if (text !== "") yield* parsed(rest + text, false);
  }
  if (rest !== "") yield* parsed(rest, true);
}

/** Removes the carriage return of a Windows line ending. */
function withoutReturn(cells: readonly string[]): readonly string[] {
  const last = cells.at(-1);
  return last?.endsWith("\r") === true ? [...cells.slice(0, -1), last.slice(0, -1)] : cells;
}
