/** The limits for clients. Sizes are bytes as received unless a name says otherwise. */

/** `POST /messages/:sessionId`: the text, the tools' schemas and the metadata. */
export const MESSAGE_BODY_BYTES = 256 * 1024;
/** `POST /delegation`: a token of at most 48 KiB and its hints. */
export const DELEGATION_BODY_BYTES = 64 * 1024;
/** Every other body contains an id or nothing. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** Milliseconds within which a body must arrive: 256 KiB over the slowest usable connection. */
export const BODY_TIME_MS = 60_000;

export const MAX_ATTACHMENTS = 10;
/** Client tools cost model tokens in each run; more than this is a client's mistake. */
export const MAX_CLIENT_TOOLS = 64;
/** Characters of a client tool's name, as model providers accept. */
export const MAX_CLIENT_TOOL_NAME_LENGTH = 64;
/** Bytes of JSON in one tool's schema. */
export const MAX_SCHEMA_BYTES = 32 * 1024;
/** Levels of nesting in a schema or in metadata: a deeper value would exhaust the stack of a recursive reader. */
export const MAX_DEPTH = 100;
/** Characters that file systems and Matrix clients accept. */
export const MAX_FILENAME_LENGTH = 255;
/** Characters of `metadata.clientMessageId`, the id that makes sending a message idempotent. */
export const MAX_CLIENT_MESSAGE_ID_LENGTH = 128;

/** Sessions in a page of `GET /sessions`, and turns in a page of `GET /sessions/:sessionId/messages`. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
