/**
 * The Worker: picks the surface for a request and exports the Durable Object classes with their parts injected.
 * It is the only file that knows both sides of anything.
 */
import { defineChatSession } from "../durable-objects/chat-session.ts";
import { createDispatcher } from "./dispatch.ts";
import { oracle } from "./oracle/app.ts";
import { createSharedApp } from "./shared/app.ts";
import { readSharedConfig } from "./shared/config.ts";

export { RateLimiter } from "../durable-objects/rate-limiter.ts";
export { UserVault } from "../durable-objects/user-vault.ts";
export class ChatSession extends defineChatSession((env) => oracle.sessionSettings(env)) {}

const apps = { oracle };
const dispatch = createDispatcher({
  apps: { ...apps, shared: createSharedApp({ surfaces: apps }) },
  hosts: readSharedConfig,
});

export default { fetch: dispatch } satisfies ExportedHandler<Env>;
