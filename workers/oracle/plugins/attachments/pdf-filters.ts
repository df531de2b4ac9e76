/**
 * How the parts of a PDF say that they are packed. Only what is packed once, by deflate, can be measured before it is unpacked:
 * a part that is packed twice, or in another way that shrinks, can come to any size.
 */

const SLASH = 0x2f;
const LONGEST_NAME = 64;
/** Bytes of a value that are looked at: lists of filters have two or three names. */
const LONGEST_VALUE = 256;
/** How many of these keys are looked at: a PDF has one a part, and 25 MB of nothing else would take minutes. */
const MOST_KEYS = 200_000;
const FIRST_SIGNS: readonly (number | undefined)[] = [0x46, 0x23];
/** Ends a name: white space, and the delimiters of the format. */
const NAME = /^[^\0\t\n\f\r ()<>[\]{}/%]*/;
const FILTERS: ReadonlySet<string> = new Set(["Filter", "F"]);
const DEFLATE: ReadonlySet<string> = new Set(["FlateDecode", "Fl"]);
const UNMEASURED: ReadonlySet<string> = new Set(["LZWDecode", "LZW", "RunLengthDecode", "RL"]);

/** Whether some part is packed in a way whose size is not known; also when it says so elsewhere than in its own words. */
export function isPackedUnmeasurably(pdf: Uint8Array): boolean {
  let keys = 0;
  for (let at = pdf.indexOf(SLASH); at >= 0; at = pdf.indexOf(SLASH, at + 1)) {
    if (!FIRST_SIGNS.includes(pdf[at + 1])) continue;
    if (++keys > MOST_KEYS) return true;
    const name = nameAt(latin(pdf, at + 1, LONGEST_NAME));
    if (FILTERS.has(name.text) && !isMeasured(name.text, latin(pdf, at + 1 + name.length, LONGEST_VALUE))) return true;
  }
  return false;
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

/** The name that a text begins with, and how long it is there: any of its signs may be written as two digits. */
function nameAt(text: string): { readonly text: string; readonly length: number } {
  const [written = ""] = NAME.exec(text) ?? [];
  const name = written.replace(/#([\dA-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return { text: name, length: written.length };
}

function latin(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}
