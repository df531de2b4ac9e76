/**
 * The Worker: picks the surface for a request and exports the Durable Object classes with their parts injected.
 * It is the only file that knows both sides of anything.
 */
import { defineChatSession } from "../durable-objects/chat-session.ts";
import { createDispatcher } from "./dispatch.ts";
import { createBundledOracle } from "./oracle/app.ts";
import { oncePerIsolate } from "./platform/config.ts";
import { createLogger } from "./platform/log.ts";
import { registry } from "./registry/app.ts";
import { createDomainDirectory } from "./registry/port.ts";
import { createSharedApp } from "./shared/app.ts";
import { readSharedConfig } from "./shared/config.ts";

const directory = oncePerIsolate((env: Env) =>
  createDomainDirectory({
    database: env.DATABASE,
    clock: () => Date.now(),
    log: createLogger({ surface: "registry", requestId: "port" }),
  }),
);
const oracle = createBundledOracle({ document: (env, did) => directory(env).document(did) });

export { RateLimiter } from "../durable-objects/rate-limiter.ts";
export { UserVault } from "../durable-objects/user-vault.ts";
export class ChatSession extends defineChatSession((env) => oracle.sessionSettings(env)) {}

const apps = { oracle, registry };
const dispatch = createDispatcher({
  apps: { ...apps, shared: createSharedApp({ surfaces: apps }) },
  hosts: readSharedConfig,
});

export default {
  fetch: dispatch,
  /** Every minute (wrangler.toml); each surface bounds its own work. */
  async scheduled(controller, env, context): Promise<void> {
    await registry.scheduled(env, context, controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
