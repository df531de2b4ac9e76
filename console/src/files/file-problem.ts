/** Why a file, or one row of it, cannot be read. The sentences are in `texts/registry-files.ts`. */

export type FileFault =
  | "empty"
  | "noText"
  | "spreadsheet"
  | "utf16"
  | "notUtf8"
  | "oneColumn"
  | "manyColumns"
  | "duplicateColumn"
  | "openQuote"
  | "cutOff"
  | "afterTheEnd";

/** Ends the reading: the rest of the file cannot be trusted. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";
  readonly fault: FileFault;
  /** The column's name, or the number of the row or item. */
  readonly place: string;

  constructor(fault: FileFault, place = "") {
    super(fault);
    this.fault = fault;
    this.place = place;
  }
}
