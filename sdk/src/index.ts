/** The entry `@twinedge/sdk`: the provider and the hooks. */
export type { ChatRunState } from "./core/chat.ts";
