/**
 * JSON with exact numbers: JavaScript would round 18446744073709551615. Such a number is parsed as a text that begins with a secret
 * mark, which the tree shows as a number and `stringifyExactly` writes as one.
 */
import { jsonText } from "./json-text.ts";

const mark = `number ${crypto.randomUUID()} `;
const marked = new RegExp(`"${mark}([^"]*)"`, "g");
/** A candidate for such a number: outside texts, it is one, or one that JavaScript keeps. */
const LONG_NUMBER = /(^\s*|[:[,]\s*)(-?\d(?:[\d.]{15,}(?:[eE][+-]?\d+)?|[\d.]*[eE][+-]?\d+))/g;
/** Follows a number used as a member name, which is invalid JSON. */
const NAME_END = /\s*:/y;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** @throws SyntaxError, like `JSON.parse`. */
export function parseExactly(text: string): unknown {
  return JSON.parse(quoted(text, mark)) as unknown;
}

/** The document with such numbers as texts, as in protobuf's JSON. */
export function withQuotedNumbers(text: string): string {
  return quoted(text, "");
}

export function stringifyExactly(value: unknown, indent?: number): string {
  return jsonText(value, indent).replace(marked, "$1");
}

/** The digits of a number that JavaScript would have rounded. */
export function exactNumber(value: unknown): string | undefined {
  return typeof value === "string" && value.startsWith(mark) ? value.slice(mark.length) : undefined;
}

/** Examines only the few long numbers, and the quotes of everything else: an answer may have megabytes. */
function quoted(text: string, prefix: string): string {
  const parts: string[] = [];
  let copied = 0;
  /** The first position after all texts that begin before the number, and the next quote from there. */
  let outside = 0;
  let quote = nextQuote(text, 0);
  for (const { index, 1: before = "", 2: digits = "" } of text.matchAll(LONG_NUMBER)) {
    const start = index + before.length;
    while (quote < start) {
      outside = endOfText(text, quote);
      quote = nextQuote(text, outside);
    }
    if (outside > start || !JSON_NUMBER.test(digits) || String(Number(digits)) === digits) continue;
    NAME_END.lastIndex = start + digits.length;
    if (NAME_END.test(text)) continue;
    parts.push(text.slice(copied, start), `"${prefix}${digits}"`);
    copied = start + digits.length;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function nextQuote(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote < 0 ? text.length : quote;
}

/** The position after the closing quote. */
function endOfText(text: string, quote: number): number {
  let end = text.indexOf('"', quote + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before -= 1;
  return (at - before) % 2 === 1;
}
