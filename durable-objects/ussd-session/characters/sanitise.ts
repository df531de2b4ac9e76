/**
 * Cleans one input before any step sees it (contract/ussd.md section 2). It comes after the suffix rule of
 * text-meaning.ts, which compares texts byte for byte. Quotes and apostrophes stay: names have them.
 */

/** Control characters, lone surrogates, and what is not to be seen: marks of direction, letters without a shape. */
export const INVISIBLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

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
