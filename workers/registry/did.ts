/** The grammar of DIDs and DID URLs (W3C DID Core 1.0, sections 3.1 and 3.2). Whether one exists is not asked. */
const IDENTIFIER = String.raw`(?:[\w.-]|%[0-9A-Fa-f]{2})`;
const DID = new RegExp(String.raw`^did:[a-z0-9]+:(?:${IDENTIFIER}*:)*${IDENTIFIER}+$`);
/** Characters; the same bound as for a domain's class. */
export const LONGEST_DID = 512;

export function isDid(text: string): boolean {
  return text.length <= LONGEST_DID && DID.test(text);
}

/** RFC 3986 pchar. */
const PATH_CHARACTER = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const afterDid = new RegExp(
  `^(?:/${PATH_CHARACTER}*)*(?:\\?(?:${PATH_CHARACTER}|[/?])*)?(?:#(?:${PATH_CHARACTER}|[/?])*)?$`,
);

/** A DID counts too: it is a DID URL without path, query and fragment. */
export function isDidUrl(text: string): boolean {
  const end = text.search(/[/?#]/);
  if (end === -1) return isDid(text);
  return text.length <= LONGEST_DID && isDid(text.slice(0, end)) && afterDid.test(text.slice(end));
}
