/** Sizes of requests to the registry, bytes as read, never as claimed. */

/** The body of one request under `/v1`: a domain with a full document, metadata and a package's worth of evidence. */
export const BODY_BYTES = 256 * 1024;
/** Keys, voters, votes, services: a handful of short members. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** The request target, query included; a filter with 50 DIDs for each of its parameters fits. */
export const URL_BYTES = 8 * 1024;
/** Levels of lists and objects in one another in any body: more than any member may have, less than a stack can hold. */
export const BODY_DEPTH = 64;
/** Characters of the JSON that a page holds; a page that reaches this ends early, so that an isolate can hold it. */
export const PAGE_LENGTH = 8 * 1024 * 1024;
/** Items of a list's page. */
export const PAGE_SIZE = { usual: 20, greatest: 100 } as const;
