/** The items of a file in any format. */
import { csvRows, type CsvStyle } from "./csv-rows.ts";
import { itemOfRow, type CsvMapping } from "./csv-mapping.ts";
import { decodedText, type TextSlice } from "./decoded-text.ts";
import type { FileItem } from "./file-item.ts";
import { jsonItems } from "./json-items.ts";
import { ndjsonItems } from "./ndjson-items.ts";

/** How a file is read. */
export type Reading =
  | { readonly kind: "ndjson" }
  | { readonly kind: "json" }
  | { readonly kind: "csv"; readonly style: CsvStyle; readonly mapping: CsvMapping };

export function fileItems(chunks: AsyncIterable<Uint8Array>, reading: Reading): AsyncGenerator<FileItem> {
  const slices = decodedText(chunks);
  if (reading.kind === "ndjson") return ndjsonItems(slices);
  if (reading.kind === "json") return jsonItems(slices);
  return tableItems(slices, reading);
}

/** Numbered as a spreadsheet numbers its rows: the header is item 1. */
async function* tableItems(
  slices: AsyncIterable<TextSlice>,
  { style, mapping }: Extract<Reading, { kind: "csv" }>,
): AsyncGenerator<FileItem> {
  let isHead = true;
  for await (const row of csvRows(slices, style)) {
    yield isHead ? { text: "", bytesRead: row.bytesRead } : itemOfRow(row, mapping);
    isHead = false;
  }
}
