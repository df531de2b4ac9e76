/**
 * The size of a reply on a phone: septets of the GSM 7-bit alphabet (3GPP TS 23.038), or UTF-16 units as soon as one character is
 * outside it (rules PH-68 and PH-69).
 */

/** The basic set, one septet each. The carriage return is omitted: it is padding on the air, never content here. */
const BASIC =
  "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** The extension set: an escape and a character, two septets each. */
const EXTENDED = "^{}\\[~]|€";

/** Septets by UTF-16 unit, 0 outside the alphabet; `€` is its last character. */
const SEPTETS = new Uint8Array("€".charCodeAt(0) + 1);
for (const character of BASIC) SEPTETS[character.charCodeAt(0)] = 1;
for (const character of EXTENDED) SEPTETS[character.charCodeAt(0)] = 2;

/**
 * Septets that the server uses for a screen unless `USSD_SCREEN_SEPTETS` is set, and the maximum that a network
 * carries.
 */
const SCREEN_SEPTETS = 160;
const NETWORK_SEPTETS = 182;

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

/** UTF-16 units that fit into the octets of this many septets: 160 septets are 140 octets or 70 units. */
export function ucs2Limit(septets: number): number {
  return Math.floor(Math.ceil((septets * 7) / 8) / 2);
}

export interface ReplySize {
  readonly alphabet: "GSM-7" | "UCS-2";
  /** Septets, or UTF-16 units. */
  readonly size: number;
  /** The limits of a screen and of the network, in that unit. */
  readonly limit: number;
  readonly networkLimit: number;
}

/**
 * @param reply with its prefix, which counts for the network. One character outside the alphabet makes all of it UCS-2.
 */
export function replySize(reply: string): ReplySize {
  const septets = septetsOf(reply);
  return septets === undefined
    ? {
        alphabet: "UCS-2",
        size: reply.length,
        limit: ucs2Limit(SCREEN_SEPTETS),
        networkLimit: ucs2Limit(NETWORK_SEPTETS),
      }
    : { alphabet: "GSM-7", size: septets, limit: SCREEN_SEPTETS, networkLimit: NETWORK_SEPTETS };
}
