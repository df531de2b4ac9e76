/** The entry `@twinedge/sdk/core`: an oracle's client without React. */
export type { Chat, ChatSnapshot, ChatView } from "./chat.ts";
export { OfflineError, RequestError } from "./errors.ts";
export { createOracleClient } from "./oracle-client.ts";
export { SigningError } from "./tokens.ts";
