/**
 * `createOracleApp`: a whole Worker that is one oracle, for the package's entry `twinedge/oracle`. Like workers/index.ts, it
 * brings the parts together: the oracle's surface, the paths that every host has, and the two objects.
 */
import type { DurableObject } from "cloudflare:workers";
import { defineChatSession } from "../durable-objects/chat-session.ts";
import { UserVault } from "../durable-objects/user-store.ts";
import { createDispatcher } from "./dispatch.ts";
import { bundledPlugins } from "./oracle/app.ts";
import { createOracleSurface, type OracleSurface } from "./oracle/oracle-surface.ts";
import { createSharedApp } from "./shared/app.ts";
import { readSharedConfig } from "./shared/config.ts";
import { isShared } from "./surfaces.ts";
import type { OracleAppOptions, PluginStatus } from "./oracle/framework/app-options.ts";

/** A Durable Object class, to be exported by the Worker under its name. */
export type ObjectClass = new (state: DurableObjectState, env: Env) => DurableObject<Env>;

export interface OracleApp {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
  /** Nothing runs on a schedule yet; a cron trigger is harmless. */
  scheduled(controller: ScheduledController, env: Env, context: ExecutionContext): Promise<void>;
  readonly plugins: { status(env: Env): PluginStatus };
  /** One chat session; bound as `CHAT_SESSION`. */
  readonly ChatSession: ObjectClass;
  /** What one user keeps; bound as `USER_VAULT`. */
  readonly UserVault: ObjectClass;
}

/** An oracle without its objects, which a test brings itself. */
export interface OracleParts extends Pick<OracleApp, "fetch"> {
  readonly oracle: OracleSurface;
}

export function composeOracle(options: OracleAppOptions): OracleParts {
  const { plugins = [], bundledPlugins: bundled = bundledPlugins } = options;
  const oracle = createOracleSurface({
    ...options,
    plugins: [...bundled, ...plugins],
    otherOwnerOf: (path) => (isShared(path) ? "the paths of every oracle" : undefined),
  });
  const fetch = createDispatcher({
    apps: { oracle, shared: createSharedApp({ surfaces: { oracle } }) },
    hosts: readSharedConfig,
    ownerOf: (path) => (isShared(path) ? "shared" : "oracle"),
    surfaces: ["oracle"],
  });
  return { fetch, oracle };
}

export function createOracleApp(options: OracleAppOptions): OracleApp {
  const { fetch, oracle } = composeOracle(options);
  return {
    fetch,
    scheduled: async () => undefined,
    plugins: oracle.plugins,
    ChatSession: defineChatSession({
      settings: (env) => oracle.sessionSettings(env),
      channel: (env) => oracle.channelSettings(env),
    }),
    UserVault,
  };
}
