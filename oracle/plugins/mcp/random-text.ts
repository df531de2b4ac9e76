/** Encodes bytes as a text that is safe in a URL, a key and a cookie name; and creates unguessable texts of this kind. */

/** Bytes of a random text. */
const RANDOM_BYTES = 24;

export function textOfBytes(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function randomText(): string {
  return textOfBytes(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}
