/**
 * Values whose Go type prints itself: scaled decimals, upper-case hex, JSON inside bytes (contract D, section 4). Which
 * field has which is told by its options (field-options.ts), never by its name.
 */
import { base64, goEscaped, quoted } from "./scalars.ts";

/** A LegacyDec is an integer on the wire: the value times 10 to this power. */
const DECIMALS = 18;
const INTEGER = /^(-?)0*(\d+)$/;

/** A whole string, or the blanks between tokens. */
const STRING_OR_BLANKS = /"[^"\\]*(?:\\.[^"\\]*)*"|[ \t\n\r]+/g;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Exactly 18 decimals. A text that is no integer cannot come from a node; it is shown as it is. */
export function scaledDecimal(text: string): string {
  const [, sign, digits] = INTEGER.exec(text) ?? [];
  if (digits === undefined) return text === "" ? scaledDecimal("0") : quoted(text);
  const padded = digits.padStart(DECIMALS + 1, "0");
  return `"${sign}${padded.slice(0, -DECIMALS)}.${padded.slice(-DECIMALS)}"`;
}

/** An integer of any size. */
export function bigInteger(text: string): string {
  return text === "" ? '"0"' : quoted(text);
}

export function upperHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return `"${hex.toUpperCase()}"`;
}

/** The bytes are JSON: they become part of the document, compacted as Go does it, numbers digit for digit. */
export function rawJson(bytes: Uint8Array): string {
  if (bytes.length === 0) return "null";
  try {
    const text = strictUtf8.decode(bytes);
    JSON.parse(text);
    return text.replaceAll(STRING_OR_BLANKS, (found) => (found.startsWith('"') ? escapeMarkup(found) : ""));
  } catch {
    return base64(bytes);
  }
}

/** Escapes that the author wrote stay as they are, `\b` too: only single characters change. */
function escapeMarkup(string: string): string {
  return string.replaceAll(/[<>&\u2028\u2029]/g, goEscaped);
}
