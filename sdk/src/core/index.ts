/** The entry `@twinedge/sdk/core`: an oracle's client without React. */
export type { Chat, ChatSnapshot, ChatView } from "./chat.ts";
