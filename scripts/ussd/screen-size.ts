/**
 * What a text takes on the air, counted by the phone for itself (3GPP TS 23.038): septets of the GSM 7-bit alphabet, or
 * UTF-16 units once a single character falls outside it. A test holds it against the gateway's own count.
 */

const BASIC =
  "@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** An escape and a character: two septets. */
const EXTENDED = "^{}\\[~]|€";

/** What a network carries in one message: 160 octets are 182 septets or 80 UTF-16 units. */
const MAX_SEPTETS = 182;
const MAX_UNITS = 80;

export interface ScreenSize {
  /** As a reader counts them: code points. */
  readonly characters: number;
  readonly alphabet: "septets" | "UCS-2 units";
  readonly size: number;
  /** Of the same alphabet. */
  readonly most: number;
}

/** `reply`: the whole of it; the prefix counts, since the network may carry it. */
export function sizeOf(reply: string): ScreenSize {
  const characters = Array.from(reply);
  const septets = characters.reduce((sum, character) => sum + septetsOf(character), 0);
  return Number.isNaN(septets)
    ? { characters: characters.length, alphabet: "UCS-2 units", size: reply.length, most: MAX_UNITS }
    : { characters: characters.length, alphabet: "septets", size: septets, most: MAX_SEPTETS };
}

function septetsOf(character: string): number {
  if (BASIC.includes(character)) return 1;
  return EXTENDED.includes(character) ? 2 : Number.NaN;
}
