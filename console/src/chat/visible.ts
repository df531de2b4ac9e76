/** A text with its invisible characters as codes: some turn the order of what follows, so that somebody approves what they do not read. */

/** Controls but for tabs and ends of lines, and all that format without being seen, which the joiners in words and emoji are not. */
const INVISIBLE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029\u3164\uffa0]/gu;

export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
