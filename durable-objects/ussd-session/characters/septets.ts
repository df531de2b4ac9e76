/**
 * How much of a screen a text takes: septets of the GSM 7-bit alphabet (3GPP TS 23.038), or UTF-16 units once a single
 * character falls outside it. Folding text into the alphabet is folding.ts, cutting it into pages is pages.ts.
 */

/** The basic set, one septet each. The carriage return is left out: it is padding on the air, never content here. */
const BASIC =
  "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** The extension set: an escape and a character, two septets each. */
const EXTENDED = "^{}\\[~]|€";

/** Septets by UTF-16 unit, 0 outside the alphabet; `€` is its last character. */
const SEPTETS = new Uint8Array("€".charCodeAt(0) + 1);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENDED) SEPTETS[character.charCodeAt(0)] = 2;

/** `CON ` and `END ` are counted as part of what the network carries. */
const PREFIX = "CON ";

export interface ScreenLimit {
  /** Septets that one reply may take, 100 to 182. */
  readonly septets: number;
  /** Whether the four characters of the prefix count; the safe side is true. */
  readonly countPrefix: boolean;
}

/** The size of a text in septets; undefined when a character is outside the alphabet. */
export function septetsOf(text: string): number | undefined {
  let septets = 0;
  for (let index = 0; index < text.length; index += 1) {
    const size = SEPTETS[text.charCodeAt(index)] ?? 0;
    if (size === 0) return undefined;
    septets += size;
  }
  return septets;
}

export function isGsm7(text: string): boolean {
  return septetsOf(text) !== undefined;
}

/** What a text takes in its own alphabet: septets, or UTF-16 units when it needs UCS-2. */
export function widthOf(text: string): number {
  return septetsOf(text) ?? text.length;
}

/** UTF-16 units that the octets of so many septets hold: 160 septets are 140 octets are 70 units. */
export function ucs2Limit(septets: number): number {
  return Math.floor(Math.ceil((septets * 7) / 8) / 2);
}

/** Whether a body without prefix fits one reply. One character outside the alphabet makes the whole reply UCS-2. */
export function fits(body: string, limit: ScreenLimit): boolean {
  const reply = limit.countPrefix ? PREFIX + body : body;
  // No character takes less than a septet.
  if (reply.length > limit.septets) return false;
  const septets = septetsOf(reply);
  return septets === undefined ? reply.length <= ucs2Limit(limit.septets) : septets <= limit.septets;
}
