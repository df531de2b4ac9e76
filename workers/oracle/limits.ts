/** Body limits of the oracle's routes (contract/oracle.md section 3.5), bytes as read, never as claimed. */

/** A turn: the text, tool schemas and metadata. */
export const TURN_BODY_BYTES = 256 * 1024;
/** A delegation: a token of at most 48 KiB and its hints. */
export const DELEGATION_BODY_BYTES = 64 * 1024;
/** How long a body may take to arrive, milliseconds: 256 KiB over the slowest line that chats. */
export const BODY_TIME_MS = 60_000;
/** Everything else holds an id or nothing. */
export const SMALL_BODY_BYTES = 16 * 1024;
