/**
 * `createOracleApp`: a whole Worker that is one oracle, for the package's entry `twinedge/oracle`. Like
 * workers/index.ts, it connects the parts: the oracle (compose-oracle.ts) and its objects.
 */
import type { DurableObject } from "cloudflare:workers";
import { defineChatSession } from "../durable-objects/chat-session.ts";
import { CreditLedger } from "../durable-objects/credit-ledger.ts";
import { UserVault } from "../durable-objects/user-vault.ts";
import { withConnections } from "../platform/database/connection-scope.ts";
import { sharingConnections } from "../platform/database/object-connections.ts";
import { composeOracle } from "./compose-oracle.ts";
import type { OracleAppOptions, PluginStatus } from "../oracle/framework/app-options.ts";

/** A Durable Object class, to be exported by the Worker under its name. */
export type ObjectClass = new (state: DurableObjectState, env: Env) => DurableObject<Env>;

export interface OracleApp {
  /** The options of its creation, for `testOracle(app.options)`. */
  readonly options: OracleAppOptions;
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response>;
  /** Runs the schedules of plugins; a cron trigger `* * * * *` calls it. */
  scheduled(controller: ScheduledController, env: Env, context: ExecutionContext): Promise<void>;
  readonly plugins: { status(env: Env): PluginStatus };
  /** One chat session; bound as `CHAT_SESSION`. */
  readonly ChatSession: ObjectClass;
  /** The data of one user; bound as `USER_VAULT`. */
  readonly UserVault: ObjectClass;
  /** The credits of one payer; bound as `CREDIT_LEDGER`. Without the binding, the plugin credits is off. */
  readonly CreditLedger: ObjectClass;
}

export function createOracleApp(options: OracleAppOptions): OracleApp {
  const { fetch, oracle } = composeOracle(options);
  return {
    options,
    fetch,
    scheduled: (controller, env, context) =>
      withConnections(
        env,
        () => oracle.scheduled(env, context, controller.scheduledTime),
        (work) => context.waitUntil(work),
      ),
    plugins: oracle.plugins,
    ChatSession: sharingConnections(
      defineChatSession({
        settings: (env) => oracle.sessionSettings(env),
        channel: (env) => oracle.channelSettings(env),
      }),
    ),
    UserVault,
    CreditLedger,
  };
}
