/** Recognises the format of a file by its first bytes, not its name: a renamed spreadsheet is still one. */
import { csvRows, separators, type CsvStyle } from "./csv-rows.ts";
import { FileProblem } from "./file-problem.ts";

export type FileFormat =
  | { readonly kind: "ndjson" }
  | { readonly kind: "json" }
  | {
      readonly kind: "csv";
      readonly style: CsvStyle;
      readonly columns: readonly string[];
      /** The cells of the first row after the header. */
      readonly example: readonly string[];
    };

/** How many bytes are examined. */
export const HEAD_BYTES = 65_536;
/** Maximum columns of a table: far more than a domain has members. */
export const MOST_COLUMNS = 500;

/** @param head the first bytes of the file, at least HEAD_BYTES or all of it. Throws a FileProblem. */
export async function recognised(head: Uint8Array): Promise<FileFormat> {
  const text = textOf(head);
  const first = text.trimStart().charAt(0);
  if (first === "") throw new FileProblem("empty");
  if (first === "[") return { kind: "json" };
  if (first === "{") return { kind: isSpread(text) ? "json" : "ndjson" };
  return table(text);
}

const isStart = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

/** Control characters of texts: tab, line feed, vertical tab, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

function textOf(head: Uint8Array): string {
  if (isStart(head, 0xff, 0xfe) || isStart(head, 0xfe, 0xff)) throw new FileProblem("utf16");
  // A ZIP archive, which .xlsx and .ods are, and the older .xls.
  if (isStart(head, 0x50, 0x4b, 3, 4) || isStart(head, 0xd0, 0xcf, 0x11, 0xe0)) throw new FileProblem("spreadsheet");
  if (head.some((byte) => byte < 0x20 && !TEXT_CONTROLS.has(byte))) throw new FileProblem("noText");
  let text;
  try {
    // The last character may be incomplete.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(head.subarray(0, HEAD_BYTES), {
      stream: true,
    });
  } catch {
    throw new FileProblem("notUtf8");
  }
  return text;
}

/** An object that spans several lines. A truncated line is followed by the next object. */
function isSpread(text: string): boolean {
  const [line = "", next] = text
    .trimStart()
    .split(/\r?\n/)
    .filter((each) => each.trim() !== "");
  return next !== undefined && !isClosed(line) && !next.startsWith("{");
}

function isClosed(line: string): boolean {
  const open = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").replaceAll(/[^{}[\]]/g, "");
  let depth = 0;
  for (const sign of open) depth += sign === "{" || sign === "[" ? 1 : -1;
  return depth <= 0;
}

/** With the separator that gives the first row the most columns. */
async function table(text: string): Promise<FileFormat> {
  const newline = text.includes("\n") ? "\n" : "\r";
  const tables = await Promise.all(
    separators.map(async (separator) => ({ separator, rows: await firstRows(text, { separator, newline }) })),
  );
  const widthOf = ({ rows: [columns = []] }: (typeof tables)[number]): number => columns.length;
  const widest = tables.reduce((best, each) => (widthOf(each) > widthOf(best) ? each : best));
  const { separator } = widest;
  const [columns = [], example = []] = widest.rows;
  if (columns.length < 2) throw new FileProblem("oneColumn");
  if (columns.length > MOST_COLUMNS) throw new FileProblem("manyColumns");
  const names = columns.map((name) => name.trim());
  const twice = names.find((name, at) => name !== "" && names.indexOf(name) !== at);
  if (twice !== undefined) throw new FileProblem("duplicateColumn", twice);
  return { kind: "csv", style: { separator, newline }, columns: names, example };
}

/** The header and the first row. With a wrong separator, a quote of the table may be unclosed. */
async function firstRows(text: string, style: CsvStyle): Promise<readonly (readonly string[])[]> {
  const slices = async function* () {
    yield { text, bytesRead: 0 };
  };
  const rows: (readonly string[])[] = [];
  try {
    for await (const { cells } of csvRows(slices(), style)) if (rows.push(cells) === 2) break;
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
  }
  return rows;
}
