/** One domain of a file as it is sent: a line of NDJSON, an object of a JSON file, or a row of a table. Items are numbered from 1. */

/** Why a row cannot be sent; other rows can. */
export type RowFault = "notJson" | "notJsonObject" | "tooManyCells";

export interface FileItem {
  /** JSON on one line; empty for a blank line, the head of a table, and a row with a fault. */
  readonly text: string;
  readonly fault?: { readonly kind: RowFault; readonly column: string } | undefined;
  /** Bytes of the file up to about here. */
  readonly bytesRead: number;
}

/** UTF-16 units that are kept of an item. The registry refuses one of more than 256 KiB, so the rest is not held. */
export const LONGEST_ITEM = 262_145;
