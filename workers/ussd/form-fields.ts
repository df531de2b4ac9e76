/**
 * `application/x-www-form-urlencoded`, strictly: percent-encoded bytes have to be UTF-8 and a field that matters comes
 * at most once. URLSearchParams would put replacement characters and take the first of several.
 */

/** Undefined when a wanted field is repeated or is not UTF-8; other fields are not looked at. */
export function readFormFields<Name extends string>(
  text: string,
  wanted: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const fields: Partial<Record<Name, string>> = {};
  for (const pair of text.split("&")) {
    const separator = pair.indexOf("=");
    const key = decodeComponent(separator < 0 ? pair : pair.slice(0, separator));
    const name = wanted.find((each) => each === key);
    if (name === undefined) continue;
    const value = decodeComponent(separator < 0 ? "" : pair.slice(separator + 1));
    if (value === undefined || fields[name] !== undefined) return undefined;
    fields[name] = value;
  }
  return fields;
}

/** A `%` that no two hexadecimal digits follow stands for itself, as browsers read it. */
function decodeComponent(text: string): string | undefined {
  const encoded = new TextEncoder().encode(text.replaceAll("+", " "));
  const bytes: number[] = [];
  for (let index = 0; index < encoded.length; index += 1) {
    const byte = encoded[index] ?? 0;
    const digits = byte === 0x25 ? String.fromCharCode(...encoded.subarray(index + 1, index + 3)) : "";
    if (/^[0-9A-Fa-f]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      index += 2;
    } else {
      bytes.push(byte);
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
