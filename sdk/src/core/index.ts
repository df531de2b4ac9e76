/** The entry `@twinedge/sdk/core`: an oracle's client without React. */
export type {
  CallStatus,
  Chat,
  ChatCallbacks,
  ChatMessage,
  ChatRunState,
  ChatSnapshot,
  ChatStatus,
  ChatView,
  MessageKind,
  PendingQuestion,
  PendingSignIn,
  QueuedMessage,
  SendOptions,
  StreamingMode,
  ToolCall,
  ViewOptions,
} from "./chat.ts";
export type { Endpoints, InspectedEntry, QueueStore, TokenStore } from "./client-settings.ts";
export { clearUserData } from "./clear-user-data.ts";
export { deleteUserData, type DeletedData } from "./delete-user-data.ts";
export type { ActionTool, BrowserTool, ClientTools } from "./client-tools.ts";
export { discoverEndpoints, readOracleDid, type DiscoveryOptions } from "./discovery.ts";
export { OfflineError, RequestError, TurnError } from "./errors.ts";
export type { OracleHttp, RequestOptions } from "./http.ts";
export { createOracleClient, type OracleClient, type OracleClientOptions } from "./oracle-client.ts";
export { createSigner, type OracleSigner, type SignerOptions } from "./signer.ts";
export type { OracleEvent } from "./socket.ts";
export {
  SigningError,
  type CreateToken,
  type SentTokens,
  type SignedToken,
  type TokenCreators,
  type Tokens,
} from "./tokens.ts";
export type {
  Attachment,
  ClientTool,
  FrameData,
  FrameName,
  MessageRecord,
  ModelList,
  ModelRecord,
  PreferencesRecord,
  RunEvent,
  ServerPayload,
  SessionList,
  SessionRecord,
} from "./wire.ts";
