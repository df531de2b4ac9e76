/** The text of a file that is text already: decoded strictly, without signs that only terminals understand. */
import { failure, success, type Result } from "../../../platform/result.ts";
import { charsetOf, isUtf16 } from "./media-type.ts";

/** The error says why, as the end of "could not be read: ...". */
export function decodeText(mimetype: string, bytes: Uint8Array): Result<string, string> {
  const charset = isUtf16(bytes) ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : charsetOf(mimetype);
  const decoder = decoderOf(charset);
  if (decoder === undefined) return failure("its character set is not known");
  try {
    return success(withoutControls(decoder.decode(bytes)));
  } catch {
    return failure("it is not text in the character set that it declares");
  }
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: false });
  } catch {
    return undefined;
  }
}

/** Tabs and ends of lines stay. What is left takes at most three bytes a unit, also as JSON. */
export function withoutControls(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .toWellFormed();
}
