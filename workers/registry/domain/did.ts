/**
 * DID URLs by the grammar of W3C DID Core section 3.2, and the ids of domains and of what their documents hold
 * (contract/registry.md sections 1.1 and 3, R4 and R11). The grammar of bare DIDs is `../did.ts`'s.
 */
import { isDid, LONGEST_DID } from "../did.ts";

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

export const DOMAIN_ID_PREFIX = "did:ixo:entity:";
/** Bytes of a domain's id: as many as a UUID, all of them random. */
export const DOMAIN_ID_BYTES = 16;

const domainId = /^did:ixo:entity:[0-9a-f]{32}$/;

export function isDomainId(text: string): boolean {
  return domainId.test(text);
}

/** The id made of 16 random bytes. */
export function domainIdOf(bytes: Uint8Array): string {
  return DOMAIN_ID_PREFIX + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `#x` belongs to the document that it stands in; every other id is taken as it is. */
export function absoluteId(domain: string, id: string): string {
  return id.startsWith("#") ? domain + id : id;
}
