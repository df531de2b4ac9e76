/**
 * How the parts of a PDF say that they are packed. Only what is packed once, by deflate, can be measured before it is unpacked:
 * a part that is packed twice, or in another way that shrinks, can come to any size, and an encrypted one too. Images have no text,
 * so that theirs are never unpacked.
 */
import type { SlicedWork } from "./work-slices.ts";

const SLASH = 0x2f;
/** Any sign of a name may be written as this and two digits. */
const ESCAPE = 0x23;
const [F = 0, I = 0, E = 0, N = 0] = new TextEncoder().encode("FiEn");
const decoder = new TextDecoder("latin1");
const LONGEST_NAME = 64;
/** Bytes of a value that are looked at: lists of filters have two or three names. */
const LONGEST_VALUE = 256;
/** How many names are looked at. Large PDFs have tens of thousands. */
const MOST_NAMES = 200_000;
/** Names, and slashes before other ones, that are looked at in one slice of work, about two milliseconds. */
const SLICE_NAMES = 512;
const SLICE_SLASHES = 64 * 1024;
/** Bytes before and behind a filter in which its dictionary says what the part is. */
const NEAR_BYTES = 2 * 1024;
const X = 0x78;
/** Ends a name: white space, and the delimiters of the format. */
const NAME = /^[^\0\t\n\f\r ()<>[\]{}/%]*/;
const ENCRYPTION = "Encrypt";
const FILTERS: ReadonlySet<string> = new Set(["Filter", "F"]);
const DEFLATE: ReadonlySet<string> = new Set(["FlateDecode", "Fl"]);
/** All others that the reader knows: they shrink what they pack, or hide it from a look before. */
const UNMEASURED: ReadonlySet<string> = new Set(
  "ASCIIHexDecode AHx ASCII85Decode A85 LZWDecode LZW RunLengthDecode RL BrotliDecode CCITTFaxDecode CCF DCTDecode DCT JBIG2Decode JPXDecode JPX".split(
    " ",
  ),
);
const IMAGE = /\/Subtype[\0\t\n\f\r ]*\/Image(?![^\0\t\n\f\r ()<>[\]{}/%])/;

/**
 * Whether the size of some part is not known; also when it says so elsewhere than in its own words. Takes the filters of images out
 * of the PDF: a part that claims to be one is then read as it is.
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

/** Whether the dictionary around this place is that of an image. */
function isOfImage(pdf: Uint8Array, at: number): boolean {
  const before = latin(pdf, Math.max(0, at - NEAR_BYTES), Math.min(at, NEAR_BYTES));
  const behind = latin(pdf, at, NEAR_BYTES);
  const end = behind.indexOf("stream");
  return IMAGE.test(before.slice(before.lastIndexOf("obj") + 1) + (end < 0 ? behind : behind.slice(0, end)));
}

/** Renames the filter, and writes over the first byte of the part, so that it is not taken for one that is packed. */
function leavePacked(pdf: Uint8Array, at: number, length: number): void {
  pdf.fill(X, at + 1, at + 1 + length);
  const [line = ""] = /stream[^\r\n]*(?:\r\n?|\n)/.exec(latin(pdf, at, NEAR_BYTES)) ?? [];
  const keyword = latin(pdf, at, NEAR_BYTES).indexOf(line);
  if (line !== "") pdf[at + keyword + line.length] = 0;
}

/** Whether one of the names may begin so: most others differ in their first two bytes. The short form stands alone. */
function mayBegin(first = SLASH, second = SLASH): boolean {
  if (first === F) return second === I || second === ESCAPE || !isLetter(second);
  if (first === E) return second === N || second === ESCAPE;
  return first === ESCAPE;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** `value`: what follows the key `Filter`, or its short form `F`, which other dictionaries use for files and flags. */
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

/** The name that a text begins with, and how long it is there. */
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
