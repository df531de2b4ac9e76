/** The text of a text file: decoded strictly, piece by piece, without control characters. */
import { failure, success, type Result } from "../../../platform/result.ts";
import { charsetOf, isUtf16 } from "./media-type.ts";
import type { SlicedWork } from "./work-slices.ts";

/** Bytes decoded in one slice of work: about a millisecond. */
const PIECE_BYTES = 32 * 1024;

/**
 * Stops after the piece in which the text exceeds `length`, UTF-16 units. The error says why, as the end of "could not be read:
 * ...".
 */
export function* textOfFile(mimetype: string, bytes: Uint8Array, length: number): SlicedWork<Result<string, string>> {
  let text = "";
  for (const piece of decodedPieces(mimetype, bytes)) {
    if (!piece.ok) return piece;
    text += piece.value;
    if (text.length > length) break;
    yield;
  }
  return success(text);
}

/** An error is yielded as the last piece. */
export function* decodedPieces(mimetype: string, bytes: Uint8Array): Generator<Result<string, string>, void> {
  const charset = isUtf16(bytes) ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : charsetOf(mimetype);
  const decoder = decoderOf(charset);
  if (decoder === undefined) {
    yield failure("its character set is unknown");
    return;
  }
  // A line ending may be split between two pieces.
  let held = "";
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    const end = start + PIECE_BYTES;
    const stream = end < bytes.length;
    let piece: string;
    try {
      piece = held + decoder.decode(bytes.subarray(start, end), { stream });
    } catch {
      yield failure("it is not text in the character set that it declares");
      return;
    }
    held = stream && piece.endsWith("\r") ? "\r" : "";
    yield success(withoutControls(held === "" ? piece : piece.slice(0, -1)));
  }
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: false });
  } catch {
    return undefined;
  }
}

/** Keeps tabs and line endings. The remaining text takes at most three bytes per unit, even as JSON. */
export function withoutControls(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .toWellFormed();
}
