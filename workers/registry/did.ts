/** The grammar of DIDs (W3C DID Core 1.0, section 3.1). Whether one exists is not asked. */
const IDENTIFIER = String.raw`(?:[\w.-]|%[0-9A-Fa-f]{2})`;
const DID = new RegExp(String.raw`^did:[a-z0-9]+:(?:${IDENTIFIER}*:)*${IDENTIFIER}+$`);
/** Characters; the same bound as for a domain's class. */
export const LONGEST_DID = 512;

export function isDid(text: string): boolean {
  return text.length <= LONGEST_DID && DID.test(text);
}
