/** The entry `@twinedge/sdk/core`: an oracle's client without React. */
export type { Chat, ChatSnapshot, ChatView } from "./chat.ts";
export type { ActionTool, BrowserTool, ClientTools } from "./client-tools.ts";
export { readOracleDid } from "./discovery.ts";
export { OfflineError, RequestError } from "./errors.ts";
export { createOracleClient } from "./oracle-client.ts";
export { createSigner } from "./signer.ts";
export type { OracleEvent } from "./socket.ts";
export { SigningError } from "./tokens.ts";
