/** SHA-256, its text form, and constant-time comparison. */

const encoder = new TextEncoder();

/** The digest of the bytes, or of the text as UTF-8. */
export async function sha256(data: string | Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof data === "string" ? encoder.encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

export async function sha256Hex(text: string): Promise<string> {
  return hexOf(await sha256(text));
}

/** Lower case, two digits for each byte. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** For digests or keys of one fixed length; values of other lengths are unequal. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0);
  return difference === 0;
}

/** For texts of any length: compares their digests, so the time does not reveal the length either. */
export async function equalTexts(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([sha256(one), sha256(other)]);
  return equalBytes(first, second);
}
