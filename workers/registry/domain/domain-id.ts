/** The ids of domains and of the items in their documents. */
import { hexOf } from "../../../platform/digest.ts";

export const DOMAIN_ID_PREFIX = "did:ixo:entity:";
/** Bytes of a domain's id: the length of a UUID, all random. */
export const DOMAIN_ID_BYTES = 16;

/** Characters of a domain's id. */
export const DOMAIN_ID_LENGTH = DOMAIN_ID_PREFIX.length + 2 * DOMAIN_ID_BYTES;

const domainId = /^did:ixo:entity:[0-9a-f]{32}$/;

export function isDomainId(text: string): boolean {
  return domainId.test(text);
}

/** The id made of 16 random bytes. */
export function domainIdOf(bytes: Uint8Array): string {
  return DOMAIN_ID_PREFIX + hexOf(bytes);
}

/** Resolves `#x` against the document's DID; every other id is returned unchanged. */
export function absoluteId(domain: string, id: string): string {
  return id.startsWith("#") ? domain + id : id;
}
