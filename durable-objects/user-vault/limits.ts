/** What a user may have at once, over all his sessions. */

/** Connected sockets; the oldest makes room for one more (contract/oracle.md section 3.5). */
export const SOCKETS_PER_USER = 32;
