/** Bytes as a text that fits a URL, a key and the name of a cookie; and such texts that nobody guesses. */

/** Bytes of a random text. */
const RANDOM_BYTES = 24;

export function textOfBytes(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function randomText(): string {
  return textOfBytes(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
}
