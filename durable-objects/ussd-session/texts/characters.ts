/**
 * Characters on a phone: checks whether a text fits a screen, converts external text to the GSM 7-bit alphabet and
 * makes it safe to print, and cleans typed text.
 */
import { septetsOf, ucs2Limit } from "../../../shared/gsm7.ts";

/** `CON ` and `END ` count as part of the text that the network carries. */
const PREFIX = "CON ";

export interface ScreenLimit {
  /** Maximum septets of one reply, 100 to 182. */
  readonly septets: number;
  /** Whether the four characters of the prefix count; true is safe. */
  readonly countPrefix: boolean;
}

export function isGsm7(text: string): boolean {
  return septetsOf(text) !== undefined;
}

/** The size of a text in its own alphabet: septets, or UTF-16 units if it needs UCS-2. */
export function widthOf(text: string): number {
  return septetsOf(text) ?? text.length;
}

/** Whether a body without prefix fits one reply. One character outside the alphabet makes the whole reply UCS-2. */
export function fits(body: string, limit: ScreenLimit): boolean {
  const reply = limit.countPrefix ? PREFIX + body : body;
  // Each character is at least one septet.
  if (reply.length > limit.septets) return false;
  const septets = septetsOf(reply);
  return septets === undefined ? reply.length <= ucs2Limit(limit.septets) : septets <= limit.septets;
}

/** Control characters, lone surrogates, and invisible characters: direction marks, letters without a shape. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** The input in NFC, trimmed, on one line, with single spaces. */
export function sanitise(input: string): string {
  return (
    input
      .replace(/[\t\r\n]/gu, " ")
      // Before composing, because a removed character may have separated a letter and its mark.
      .replace(INVISIBLE, "")
      .normalize("NFC")
      .replace(/\s+/gu, " ")
      .trim()
  );
}

/** Characters that Unicode does not decompose to a character of the alphabet. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ..."‘’‚‛′`´ʻʼ".split("").map((quote) => [quote, "'"] as const),
  ..."“”„‟″«»".split("").map((quote) => [quote, '"'] as const),
  ..."‐‑‒–—―−".split("").map((dash) => [dash, "-"] as const),
  ..."•·".split("").map((bullet) => [bullet, "-"] as const),
  ["‹", "<"],
  ["›", ">"],
  ["…", "..."],
  ["×", "x"],
  ["°", " deg "],
  ["→", "->"],
  ["←", "<-"],
  ["≤", "<="],
  ["≥", ">="],
  ["≈", "~"],
  ["©", "(c)"],
  ["®", "(R)"],
  ["œ", "oe"],
  ["Œ", "OE"],
  ["ł", "l"],
  ["Ł", "L"],
  ["đ", "d"],
  ["Đ", "D"],
  ["ħ", "h"],
  ["Ħ", "H"],
  ["ŋ", "n"],
  ["Ŋ", "N"],
  ["ı", "i"],
  ["ɓ", "b"],
  ["ɗ", "d"],
  ["ƙ", "k"],
  ["ɛ", "e"],
  ["ɔ", "o"],
  ["ẞ", "ß"],
]);

/** Emoji, their skin tones and the letters of flags, which phones of this kind cannot show. */
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})/u;

/** A character with its combining marks. */
const MARKED = /\P{M}\p{M}*/gu;
/** Marks kept on one character; more is decoration that could fill a screen. */
const MARKS_KEPT = 4;
const EXCESS_MARKS = new RegExp(String.raw`(\p{M}{${MARKS_KEPT}})\p{M}+`, "gu");

/** UTF-16 units of prose that are processed: more than any number of pages shows. */
const MAX_PROSE = 4000;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The text with each character replaced by its nearest one of the alphabet. Emoji are removed, because a single one would halve
 * the room on the screen; other scripts are kept.
 */
export function foldToGsm7(text: string): string {
  if (isGsm7(text)) return text;
  return text.normalize("NFC").replace(MARKED, (marked) => foldOne(marked));
}

function foldOne(marked: string): string {
  if (isGsm7(marked)) return marked;
  const replacement = REPLACEMENTS.get(marked);
  if (replacement !== undefined) return replacement;
  if (/^\p{Zs}$/u.test(marked)) return " ";
  // The plain equivalent of a character: the 2 of CO₂, 1/2, TM, full-width letters.
  const meant = marked.normalize("NFKD").replaceAll("\u2044", "/");
  if (isGsm7(meant)) return meant;
  if (PICTURE.test(marked)) return "";
  const [base = ""] = marked.normalize("NFD");
  const folded = isGsm7(base) ? base : REPLACEMENTS.get(base);
  // Marks without a base letter, and other scripts, are kept.
  return folded ?? marked;
}

/** External text on one line. It cannot start an option: `1. x` becomes `1) x`. */
export function printableLine(text: string): string {
  const plain = text.replace(/\s+/gu, " ").replace(INVISIBLE, "").replace(EXCESS_MARKS, "$1");
  return foldToGsm7(plain)
    .replace(/ +/g, " ")
    .trim()
    .replace(/^(\d+|\*)\.(?=\s|$)/u, "$1)");
}

/** External prose, without markup. */
export function printableProse(text: string): string {
  const lines = text
    .slice(0, MAX_PROSE)
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => printableLine(withoutMarkup(line)));
  return lines.filter((line) => line !== "").join("\n");
}

function withoutMarkup(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s+|>\s*|```.*$)/u, "")
    .replace(/^\s*[*+•]\s+/u, "- ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replace(/<\/?[a-z][^>]*>/giu, "")
    .replace(/\*\*|__|`/gu, "")
    .replace(/(^|[\s(])[*_](\S(?:.*?\S)?)[*_](?=$|[\s.,;:!?)])/gu, "$1$2");
}

/** Shortened to a width (septets, or UTF-16 units outside the alphabet) with `..`, never inside a grapheme. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const room = width - "..".length;
  let kept = "";
  // Each character of the alphabet is a grapheme; only other characters must be grouped.
  for (const segment of isGsm7(text) ? text : graphemesOf(text)) {
    if (widthOf(kept + segment) > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}..`;
}

/** The characters as a reader sees them. */
export function graphemesOf(text: string): readonly string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
