/**
 * Cleans one input before any step sees it (contract/ussd.md section 2). It comes after the suffix rule of
 * text-meaning.ts, which compares texts byte for byte. Quotes and apostrophes stay: names have them.
 */

/** Control characters, lone surrogates, marks of direction, characters without width. */
export const INVISIBLE = /[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]/gu;

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
