/** The references in an object of a PDF, with repeats: its lists, page trees, fonts, and the keys of its dictionary. */
import { tokensOf, type Token } from "./pdf-tokens.ts";
import type { SlicedWork } from "./work-slices.ts";

/** An unknown reference: it is written in a form that only the PDF library can parse. */
export const UNKNOWN_OBJECT = -1;
/** Tokens read in one slice of work, about two milliseconds. */
const SLICE_TOKENS = 8_192;
/** Maximum tokens of a value that are kept: the relevant keys have a name or a list of a few names. */
const LONGEST_VALUE = 8;
const FONT_KEYS: ReadonlySet<string> = new Set(
  "FontFile FontFile2 FontFile3 ToUnicode Encoding CIDToGIDMap UseCMap".split(" "),
);

/** How often a list names each object, without nested lists and dictionaries. */
export interface ReferenceList {
  readonly times: Map<number, number>;
  readonly count: number;
  /** Whether it contains only references. */
  readonly isPlain: boolean;
}

export interface References {
  readonly lists: readonly ReferenceList[];
  /** The list, if the object is a list. */
  readonly whole: ReferenceList | undefined;
  readonly kids: readonly (number | ReferenceList)[];
  readonly fonts: readonly number[];
  /** Keys of the object's dictionary, each with all of its values as written. */
  readonly keys: ReadonlyMap<string, readonly string[]>;
  /** Whether the text begins a stream. */
  readonly hasStream: boolean;
}

interface Frame {
  readonly isList: boolean;
  readonly times: Map<number, number>;
  readonly key: string;
  count: number;
  tokens: number;
  name: string;
  /** The words since the last token that is not a word. */
  words: string[];
}

export function* referencesOf(text: string): SlicedWork<References> {
  const lists: ReferenceList[] = [];
  const kids: (number | ReferenceList)[] = [];
  const fonts: number[] = [];
  const keys = new Map<string, string[]>();
  const open: Frame[] = [];
  let whole: ReferenceList | undefined;
  let hasStream = false;
  /** The values of the last key, and the tokens of the newest value. */
  let values: string[] = [];
  let value: string[] | undefined;
  let tokens = 0;

  function close(): void {
    const frame = open.pop();
    if (frame?.isList !== true) return;
    const { times, count } = frame;
    const list = { times, count, isPlain: frame.tokens === 3 * count };
    if (count > 0) lists.push(list);
    if (frame.key === "Kids") kids.push(list);
    if (open.length === 0) whole ??= list;
  }

  function refer(frame: Frame, word: string): void {
    const [number = "", generation = ""] = frame.words.slice(-2);
    const isPlain = word === "R" && /^\d{1,10}$/.test(number) && /^\d{1,10}$/.test(generation);
    const object = isPlain ? Number(number) : UNKNOWN_OBJECT;
    frame.count += 1;
    frame.times.set(object, (frame.times.get(object) ?? 0) + 1);
    if (frame.isList) return;
    if (frame.name === "Kids") kids.push(object);
    if (FONT_KEYS.has(frame.name)) fonts.push(object);
  }

  function add(frame: Frame | undefined, { kind, text: written }: Token): void {
    const closes = frame !== undefined && kind === "mark" && written === (frame.isList ? "]" : ">>");
    if (closes) {
      close();
      return;
    }
    if (frame !== undefined) frame.tokens += 1;
    if (kind === "word") {
      hasStream ||= written.startsWith("stream");
      if (frame !== undefined && /^[-+.\deE]*R$/.test(written)) refer(frame, written);
      frame?.words.push(written);
      return;
    }
    if (frame !== undefined) frame.words = [];
    if (kind === "name" && frame !== undefined) frame.name = written;
    if (written === "[" || written === "<<") {
      const key = frame?.isList === false ? frame.name : "";
      open.push({ isList: written === "[", times: new Map(), key, count: 0, tokens: 0, name: "", words: [] });
    }
  }

  for (const token of tokensOf(text)) {
    tokens += 1;
    if (tokens % SLICE_TOKENS === 0) yield;
    const frame = open.at(-1);
    const isOwn = open[0]?.isList === false && open.length === 1 && token.text !== ">>";
    if (isOwn && token.kind === "name" && (value === undefined || value.length > 0)) {
      value = [];
      values = keys.get(token.text) ?? [];
      keys.set(token.text, values);
      values.push("");
    } else if (value !== undefined && (isOwn || (open.length === 2 && frame?.isList === true))) {
      value.push(token.kind === "name" ? `/${token.text}` : token.text);
      values[values.length - 1] = value.slice(0, LONGEST_VALUE).join(" ");
    }
    add(frame, token);
  }
  while (open.length > 0) close();
  return { lists, whole, kids, fonts, keys, hasStream };
}
