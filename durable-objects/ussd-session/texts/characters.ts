/**
 * Characters on a phone: whether a text fits a screen; how text from elsewhere is brought into the GSM 7-bit alphabet and made safe to
 * print; how typed text is cleaned.
 */
import { septetsOf, ucs2Limit } from "../../../shared/gsm7.ts";

/** `CON ` and `END ` are counted as part of what the network carries. */
const PREFIX = "CON ";

export interface ScreenLimit {
  /** Septets that one reply may have, 100 to 182. */
  readonly septets: number;
  /** Whether the four characters of the prefix count; the safe side is true. */
  readonly countPrefix: boolean;
}

export function isGsm7(text: string): boolean {
  return septetsOf(text) !== undefined;
}

/** The size of a text in its own alphabet: septets, or UTF-16 units when it needs UCS-2. */
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

/** Control characters, lone surrogates, and what is not to be seen: marks of direction, letters without a shape. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** The input in NFC, trimmed, on one line, with single spaces. */
export function sanitise(input: string): string {
  return (
    input
      .replace(/[\t\r\n]/gu, " ")
      // Before composing: a removed character may have stood between a letter and its mark.
      .replace(INVISIBLE, "")
      .normalize("NFC")
      .replace(/\s+/gu, " ")
      .trim()
  );
}

/** What Unicode does not decompose to a character of the alphabet. */
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

/** Pictures, their skin tones and the letters of flags: no phone of this kind shows them. */
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator})/u;

/** A character with the marks on it. */
const MARKED = /\P{M}\p{M}*/gu;
/** Marks that stay on one character; more is decoration that could fill a screen by itself. */
const MARKS_KEPT = 4;
const EXCESS_MARKS = new RegExp(String.raw`(\p{M}{${MARKS_KEPT}})\p{M}+`, "gu");

/** UTF-16 units of prose that are looked at: more than any number of pages shows. */
const MAX_PROSE = 4000;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * The text with each character replaced by its nearest one of the alphabet. Pictures go, since a single one would make the
 * whole screen half as long; other scripts stay as they are.
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
  // What another character stands for: the 2 of CO₂, 1/2, TM, full-width letters.
  const meant = marked.normalize("NFKD").replaceAll("\u2044", "/");
  if (isGsm7(meant)) return meant;
  if (PICTURE.test(marked)) return "";
  const [base = ""] = marked.normalize("NFD");
  const folded = isGsm7(base) ? base : REPLACEMENTS.get(base);
  // Marks without a letter under them, and other scripts, are left alone.
  return folded ?? marked;
}

/** Text from elsewhere on one line. It cannot start an option of its own: `1. x` becomes `1) x`. */
export function printableLine(text: string): string {
  const plain = text.replace(/\s+/gu, " ").replace(INVISIBLE, "").replace(EXCESS_MARKS, "$1");
  return foldToGsm7(plain)
    .replace(/ +/g, " ")
    .trim()
    .replace(/^(\d+|\*)\.(?=\s|$)/u, "$1)");
}

/** Prose from elsewhere, without markup. */
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
  // Characters of the alphabet stand for themselves; only others need to be gathered to graphemes.
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
