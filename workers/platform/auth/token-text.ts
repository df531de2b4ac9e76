/**
 * The text form of a token: base64 of a CAR. Four variants are read, standard and
 * URL-safe, padded and not; whatever else a lenient decoder would let through is refused, so that a token has few spellings.
 */
import { base64, base64pad, base64url, base64urlpad } from "multiformats/bases/base64";

/** Characters of the trimmed text. A chain of eight delegations takes about 4 KiB; headers beyond this are abuse. */
export const MAX_TOKEN_CHARACTERS = 48 * 1024;

const BASE64_QUARTET = 4;
const variants = [
  { shape: /^[A-Za-z0-9+/]+$/, padded: false, codec: base64 },
  { shape: /^[A-Za-z0-9_-]+$/, padded: false, codec: base64url },
  { shape: /^[A-Za-z0-9+/]+={1,2}$/, padded: true, codec: base64pad },
  { shape: /^[A-Za-z0-9_-]+={1,2}$/, padded: true, codec: base64urlpad },
];

/** The bytes, or undefined when the text is empty, too long or not exactly one of the four variants. */
export function decodeTokenText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_TOKEN_CHARACTERS) return undefined;
  const variant = variants.find(({ shape }) => shape.test(trimmed));
  if (variant === undefined || (variant.padded && trimmed.length % BASE64_QUARTET !== 0)) return undefined;
  try {
    return variant.codec.baseDecode(trimmed);
  } catch {
    return undefined; // left-over bits: not what any encoder writes
  }
}

/** Standard alphabet, padded: the spelling that every reader in the field accepts. */
export function encodeTokenText(bytes: Uint8Array): string {
  return base64pad.baseEncode(bytes);
}
