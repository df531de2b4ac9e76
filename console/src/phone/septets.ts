/**
 * How much of a screen a reply fills: septets of the GSM 7-bit alphabet (3GPP TS 23.038), or UTF-16 units as soon as one
 * character falls outside it. The rule is the server's (rules PH-68 and PH-69); a property test compares the two.
 */

/** One septet each. */
const BASIC =
  "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** An escape and a character: two septets. */
const EXTENDED = "^{}\\[~]|€";

/** Septets that the server gives a screen unless `USSD_SCREEN_SEPTETS` says otherwise, and that a network carries at most. */
export const SCREEN_SEPTETS = 160;
export const NETWORK_SEPTETS = 182;

export interface ReplySize {
  readonly alphabet: "GSM-7" | "UCS-2";
  /** Septets, or UTF-16 units. */
  readonly size: number;
  /** Of a screen and of the network, in the same unit. */
  readonly limit: number;
  readonly networkLimit: number;
}

/** @param reply with its prefix, which the server counts too. */
export function replySize(reply: string): ReplySize {
  const septets = septetsOf(reply);
  return septets === undefined
    ? { alphabet: "UCS-2", size: reply.length, limit: units(SCREEN_SEPTETS), networkLimit: units(NETWORK_SEPTETS) }
    : { alphabet: "GSM-7", size: septets, limit: SCREEN_SEPTETS, networkLimit: NETWORK_SEPTETS };
}

/** Undefined when a character is outside the alphabet. */
export function septetsOf(text: string): number | undefined {
  let septets = 0;
  for (const character of text) {
    if (BASIC.includes(character)) septets += 1;
    else if (EXTENDED.includes(character)) septets += 2;
    else return undefined;
  }
  return septets;
}

/** UTF-16 units in the octets of so many septets. */
export function units(septets: number): number {
  return Math.floor(Math.ceil((septets * 7) / 8) / 2);
}
