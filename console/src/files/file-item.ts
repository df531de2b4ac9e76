/**
 * One domain of a file as it is sent: a line of NDJSON, an object of a JSON file, or a row of a table. Items are numbered from 1.
 */

/** Why a row cannot be sent, while other rows can. */
export type RowFault = "notJson" | "notJsonObject" | "tooManyCells";

export interface FileItem {
  /** JSON on one line; empty for a blank line, a table header, and a row with a fault. */
  readonly text: string;
  readonly fault?: { readonly kind: RowFault; readonly column: string } | undefined;
  /** Approximate position in the file, bytes. */
  readonly bytesRead: number;
}

/** Maximum length of an item that is kept, UTF-16 units. The registry refuses more than 256 KiB, so the rest is dropped. */
export const LONGEST_ITEM = 262_145;
