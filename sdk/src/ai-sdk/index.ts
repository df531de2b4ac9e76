/** The entry `@twinedge/sdk/ai-sdk`: connects `useChat` of the AI SDK to an oracle. */
export {
  createOracleTransport,
  type OracleTransport,
  type OracleTransportOptions,
  type TransportSignIn,
} from "./oracle-transport.ts";
export type { UploadFile } from "./outgoing-message.ts";
export type { OracleMessageMetadata } from "./run-chunks.ts";
export { toUIMessages } from "./transcript-messages.ts";
