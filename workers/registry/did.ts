/** Identifiers: DIDs and DID URLs by the grammar of W3C DID Core, and the ids that the registry creates. */

const IDENTIFIER = String.raw`(?:[\w.-]|%[0-9A-Fa-f]{2})`;
const DID_FORM = String.raw`did:[a-z0-9]+:(?:${IDENTIFIER}*:)*${IDENTIFIER}+`;
const DID = new RegExp(`^${DID_FORM}$`);
/** Characters; equal to the limit of a domain's class. */
export const LONGEST_DID = 512;
/** A DID in JSON Schema. */
export const didForm = { pattern: DID.source, maxLength: LONGEST_DID };

export function isDid(text: string): boolean {
  return text.length <= LONGEST_DID && DID.test(text);
}

/** The DID of a DID URL: without path, query and fragment. */
export function didOf(url: string): string {
  const end = url.search(/[/?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** RFC 3986 pchar. */
const PATH_CHARACTER = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const AFTER_DID = `(?:/${PATH_CHARACTER}*)*(?:\\?(?:${PATH_CHARACTER}|[/?])*)?(?:#(?:${PATH_CHARACTER}|[/?])*)?`;
const afterDid = new RegExp(`^${AFTER_DID}$`);
/** A DID URL in JSON Schema, including surrounding spaces, which are trimmed. */
export const didUrlForm = { pattern: String.raw`^\s*${DID_FORM}${AFTER_DID}\s*$` };

/** Also accepts a DID, which is a DID URL without path, query and fragment. */
export function isDidUrl(text: string): boolean {
  const did = didOf(text);
  const rest = text.slice(did.length);
  return text.length <= LONGEST_DID && isDid(did) && (rest === "" || afterDid.test(rest));
}

/** Cryptographically secure random bytes. */
export type RandomBytes = (count: number) => Uint8Array<ArrayBuffer>;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const IDENTIFIER_BYTES = 16;
const IDENTIFIER_LENGTH = 22;

/** `key_…` or `prp_…`. */
export function newIdentifier(prefix: string, randomBytes: RandomBytes): string {
  return `${prefix}_${base62(randomBytes(IDENTIFIER_BYTES), IDENTIFIER_LENGTH)}`;
}

/** The bytes as one big-endian number, padded on the left to `length` characters. */
export function base62(bytes: Uint8Array, length: number): string {
  return base62OfNumber(
    bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n),
    length,
  );
}

export function base62OfNumber(number: bigint, length: number): string {
  let text = "";
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, "0");
}
