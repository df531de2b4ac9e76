/** The grammar of DIDs and DID URLs (W3C DID Core 1.0, sections 3.1 and 3.2). Whether one exists is not asked. */
const IDENTIFIER = String.raw`(?:[\w.-]|%[0-9A-Fa-f]{2})`;
const DID = new RegExp(String.raw`^did:[a-z0-9]+:(?:${IDENTIFIER}*:)*${IDENTIFIER}+$`);
/** Characters; the same bound as for a domain's class. */
export const LONGEST_DID = 512;

export function isDid(text: string): boolean {
  return text.length <= LONGEST_DID && DID.test(text);
}

/** The DID that a DID URL is of: without path, query and fragment. */
export function didOf(url: string): string {
  const end = url.search(/[/?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** RFC 3986 pchar. */
const PATH_CHARACTER = "(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})";
const afterDid = new RegExp(
  `^(?:/${PATH_CHARACTER}*)*(?:\\?(?:${PATH_CHARACTER}|[/?])*)?(?:#(?:${PATH_CHARACTER}|[/?])*)?$`,
);

/** A DID counts too: it is a DID URL without path, query and fragment. */
export function isDidUrl(text: string): boolean {
  const did = didOf(text);
  const rest = text.slice(did.length);
  return text.length <= LONGEST_DID && isDid(did) && (rest === "" || afterDid.test(rest));
}
