/**
 * How the parts of a PDF declare their compression. Only a part that is packed once, by deflate, can be measured before it is
 * unpacked: a part that is packed twice or by another compression, or encrypted, can have any unpacked size. Images have no text,
 * so they are never unpacked.
 */
import type { SlicedWork } from "./work-slices.ts";

const SLASH = 0x2f;
/** Any character of a name may be written as this and two digits. */
const ESCAPE = 0x23;
const [F = 0, I = 0, E = 0, N = 0] = new TextEncoder().encode("FiEn");
const decoder = new TextDecoder("latin1");
const LONGEST_NAME = 64;
/** Maximum bytes of a value that are read: lists of filters have two or three names. */
const LONGEST_VALUE = 256;
/** Maximum number of names. Large PDFs have tens of thousands. */
const MOST_NAMES = 200_000;
/** Names, and slashes before other names, read in one slice of work, about two milliseconds. */
const SLICE_NAMES = 512;
const SLICE_SLASHES = 64 * 1024;
/** Bytes before and after a filter in which its dictionary names the kind of the part. */
const NEAR_BYTES = 2 * 1024;
const X = 0x78;
/** A name ends at white space or a delimiter of the format. */
const NAME = /^[^\0\t\n\f\r ()<>[\]{}/%]*/;
const ENCRYPTION = "Encrypt";
const FILTERS: ReadonlySet<string> = new Set(["Filter", "F"]);
const DEFLATE: ReadonlySet<string> = new Set(["FlateDecode", "Fl"]);
/** The reader's other filters, which compress their data or hide its size. */
const UNMEASURED: ReadonlySet<string> = new Set(
  "ASCIIHexDecode AHx ASCII85Decode A85 LZWDecode LZW RunLengthDecode RL BrotliDecode CCITTFaxDecode CCF DCTDecode DCT JBIG2Decode JPXDecode JPX".split(
    " ",
  ),
);
const IMAGE = /\/Subtype[\0\t\n\f\r ]*\/Image(?![^\0\t\n\f\r ()<>[\]{}/%])/;

/**
 * Whether the size of some part is unknown, including parts that are declared elsewhere than in their own dictionary. Removes the
 * filters of images from the PDF: a part that falsely claims to be an image is then read without unpacking.
 */
export function* isPackedUnmeasurably(pdf: Uint8Array): SlicedWork<boolean> {
  let names = 0;
  let slashes = 0;
  for (let at = pdf.indexOf(SLASH); at >= 0; at = pdf.indexOf(SLASH, at + 1)) {
    slashes += 1;
    if (slashes % SLICE_SLASHES === 0) yield;
    if (!mayBegin(pdf[at + 1], pdf[at + 2])) continue;
    names += 1;
    if (names % SLICE_NAMES === 0) yield;
    if (names > MOST_NAMES) return true;
    const name = nameAt(latin(pdf, at + 1, LONGEST_NAME));
    if (name.text === ENCRYPTION) return true;
    if (!FILTERS.has(name.text)) continue;
    if (name.text !== "F" && isOfImage(pdf, at)) leavePacked(pdf, at, name.length);
    else if (!isMeasured(name.text, latin(pdf, at + 1 + name.length, LONGEST_VALUE))) return true;
  }
  return false;
}

/** Whether the dictionary around this place belongs to an image. */
function isOfImage(pdf: Uint8Array, at: number): boolean {
  const before = latin(pdf, Math.max(0, at - NEAR_BYTES), Math.min(at, NEAR_BYTES));
  const behind = latin(pdf, at, NEAR_BYTES);
  const end = behind.indexOf("stream");
  return IMAGE.test(before.slice(before.lastIndexOf("obj") + 1) + (end < 0 ? behind : behind.slice(0, end)));
}

/** Renames the filter, and overwrites the first byte of the part, so that it is not taken for a packed part. */
function leavePacked(pdf: Uint8Array, at: number, length: number): void {
  pdf.fill(X, at + 1, at + 1 + length);
  const [line = ""] = /stream[^\r\n]*(?:\r\n?|\n)/.exec(latin(pdf, at, NEAR_BYTES)) ?? [];
  const keyword = latin(pdf, at, NEAR_BYTES).indexOf(line);
  if (line !== "") pdf[at + keyword + line.length] = 0;
}

/**
 * Whether a known name may begin with these bytes: most other names differ in their first two bytes. The short form may be
 * complete.
 */
function mayBegin(first = SLASH, second = SLASH): boolean {
  if (first === F) return second === I || second === ESCAPE || !isLetter(second);
  if (first === E) return second === N || second === ESCAPE;
  return first === ESCAPE;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** `value`: the text after the key `Filter`, or after its short form `F`, which other dictionaries use for files and flags. */
function isMeasured(key: string, value: string): boolean {
  const text = value.replace(/^[\0\t\n\f\r ]+/, "");
  // The end of the file: no part follows.
  if (text === "" && value.length < LONGEST_VALUE) return true;
  if (text.startsWith("/")) return areMeasured([nameAt(text.slice(1)).text]);
  const [, list] = /^\[([^[\]()<>{}%]*)\]/.exec(text) ?? [];
  const [head = "", ...names] = (list ?? "").split("/");
  if (list !== undefined && head.trim() === "") return areMeasured(names.map((name) => nameAt(name).text));
  // A reference to another object, or a comment in between, hides the names.
  return key === "F" && !/^(?:\d+[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]+R|%|\[|$)/.test(text);
}

function areMeasured(filters: readonly string[]): boolean {
  return !filters.some((filter, index) => UNMEASURED.has(filter) || (index > 0 && DEFLATE.has(filter)));
}

/** The name at the start of a text, and its length as written. */
function nameAt(text: string): { readonly text: string; readonly length: number } {
  const [written = ""] = NAME.exec(text) ?? [];
  const name = written.replace(/#([\dA-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return { text: name, length: written.length };
}

function latin(bytes: Uint8Array, start: number, length: number): string {
  return decoder.decode(bytes.subarray(start, start + length));
}
