/** Size limits of requests to the registry, in bytes counted while reading; Content-Length is not trusted. */

/**
 * The body of one request under `/v1`: a domain with a full document, metadata and as much evidence as a package can contain.
 */
export const BODY_BYTES = 256 * 1024;
/** Bodies of keys, voters, votes and services, which have a few short members. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** The request target including the query; a filter with 50 DIDs for each of its parameters fits. */
export const URL_BYTES = 8 * 1024;
/** Nested levels of lists and objects in any body: more than any member needs, less than a stack can hold. */
export const BODY_DEPTH = 64;
/** Characters of JSON in a page. A page that reaches this limit ends early, so that an isolate can hold it. */
export const PAGE_LENGTH = 8 * 1024 * 1024;
/** Items per page of a list. */
export const PAGE_SIZE = { usual: 20, greatest: 100 } as const;
