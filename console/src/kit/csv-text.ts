/** CSV as spreadsheets read it: RFC 4180 in UTF-8, without cells that a spreadsheet would run as a formula. */

/** Spreadsheets recognise UTF-8 by it; without it, non-English names are garbled. */
export const BYTE_ORDER_MARK = "\u{feff}";

export type Cell = string | number | null;

/** One row with its line ending. A text that begins like a formula, or like a protected one, gets an apostrophe. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(value: Cell): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const safe = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
