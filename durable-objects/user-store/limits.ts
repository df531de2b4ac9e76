/** What a user may have at once, over all their sessions. */

/** Connected sockets; the oldest makes room for one more. */
export const SOCKETS_PER_USER = 32;
