/**
 * The registry's surface: its routes over one runtime per isolate, its OpenAPI document, and its scheduled work. The
 * clock and the source of randomness are parameters, so that tests can replace them.
 */
import { type DatabaseBindings, databaseOf } from "../../platform/database/database-of.ts";
import type { Sender } from "../../durable-objects/outbox/sender.ts";
import { oncePerIsolate } from "../../platform/config.ts";
import { maxBytesOf, measureSize } from "../../platform/database/database-size.ts";
import { createAttemptLimit } from "../../platform/http/attempt-limit.ts";
import { requestIdOf, type Logger, createLogger, describeThrown, withoutSecretsOf } from "../../platform/log.ts";
import type { DomainDirectory, EntitySource } from "../../platform/ports.ts";
import { type Result, failure, success } from "../../platform/result.ts";
import type { Surface } from "../../platform/surface.ts";
import { createSharedFeed } from "./changes/shared-feed.ts";
import { finaliseDue } from "./commands/finalise-due.ts";
import { readRegistryConfig, type RegistryConfig } from "./config.ts";
import type { RegistryRuntime } from "./context.ts";
import { registryFailure } from "./failures.ts";
import { CREDENTIAL_HEADERS } from "./http/authentication.ts";
import type { RandomBytes } from "./did.ts";
import { knownSecrets } from "./keys/caller-of-key.ts";
import { createDeploymentBudget, type DeploymentBudget } from "./lists/deployment-budget.ts";
import { createRowCosts } from "./lists/row-budget.ts";
import { createDomainDirectory } from "./port.ts";
import { registryMetrics } from "./metrics.ts";
import { composeRoutes, describeRegistry } from "./router.ts";
import { newestChange, readChanges } from "./store/change-store.ts";
import { limitSize } from "./store/batch.ts";
import { shrinkHistory } from "./store/history-shrinking.ts";
import { removeExpiredUses } from "./store/idempotency-store.ts";
import { mergeSearch } from "./store/search-merging.ts";
import { removeOldUses } from "./store/quota-store.ts";
import { addressRuleOf } from "./webhooks/address.ts";
import { createWebhookSender } from "./webhooks/sender.ts";
import { createWaker, wakeWebhooks, webhookOutboxes } from "./webhooks/wake.ts";
import { createRequestRates } from "./http/request-rates.ts";

/** The app's dependencies on its platform. */
export interface RegistryPlatform {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly randomBytes: RandomBytes;
}

export interface RegistrySurface extends Surface {
  /** `now` in milliseconds since 1970. */
  scheduled(env: Env, context: Pick<ExecutionContext, "waitUntil">, now: number): Promise<void>;
  /**
   * A read-only request of another surface of this Worker, with the rights of a key with `domains:read`. `reader` names
   * the surface and its caller, and has its own rate limit, as a key has.
   */
  read(request: Request, env: Env, reader: string): Promise<Response>;
  /** The registry as other surfaces read it. While the configuration is wrong, it returns nothing. */
  directory(env: Env): DomainDirectory & EntitySource;
  /** The sender of the outboxes `webhook:<id>`. */
  webhookSender(env: Env): Sender;
}

const workerPlatform: RegistryPlatform = {
  clock: () => Date.now(),
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

export function createRegistryApp(platform = workerPlatform): RegistrySurface {
  const made = new WeakMap<Env, RegistryRuntime>();
  const directory = oncePerIsolate((env: Env) => {
    const config = readRegistryConfig(env);
    return createDomainDirectory({
      database: databaseOf(env),
      clock: platform.clock,
      log: createLogger({ surface: "registry", requestId: "port" }),
      publicReads: config.ok ? config.value.REGISTRY_PUBLIC_READS : [],
      deployment: config.ok ? deploymentBudgetOf(config.value, env, platform.clock) : undefined,
    });
  });
  const router = composeRoutes(async (env) => {
    const known = made.get(env);
    if (known !== undefined) return success(known);
    const runtime = await makeRuntime(env, platform);
    // Only the value is cached, not the promise: the promise of a cancelled request would never settle for other
    // requests.
    if (runtime.ok) made.set(env, runtime.value);
    return runtime;
  });
  return {
    fetch: (request, exchange, context) => router.fetch(request, exchange, context),
    configProblems(env) {
      const config = readRegistryConfig(env);
      return config.ok ? [] : config.error;
    },
    async read(request, env, reader) {
      const log = createLogger({ surface: "registry", requestId: requestIdOf(request) }, withoutSecretsOf(env));
      if (request.method !== "GET") throw new TypeError("other surfaces only read");
      const asked = new Request(request);
      for (const header of CREDENTIAL_HEADERS) asked.headers.delete(header);
      const path = new URL(request.url).pathname;
      const exchange = { env, requestId: requestIdOf(request), log, path, served: [], reader };
      return router.fetch(asked, exchange, NO_WORK_AFTERWARDS);
    },
    directory,
    openapi: oncePerIsolate(() => describeRegistry()),
    async metrics(env) {
      const config = readRegistryConfig(env);
      if (!config.ok) throw new Error("the registry is not configured correctly");
      return registryMetrics(databaseOf(env), maxBytesOf(env, config.value.DATABASE_MAX_BYTES), platform.clock());
    },
    scheduled: (env, _context, now) =>
      runScheduled(env, now, createLogger({ surface: "registry", requestId: "scheduled" })),
    webhookSender: (env) => webhookSenderOf(env, platform),
  };
}

export const registry = createRegistryApp();

/** A read schedules no background work. */
const NO_WORK_AFTERWARDS = {
  waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;

const budgetLog = createLogger({ surface: "registry", requestId: "row-budget" });

async function makeRuntime(env: Env, { clock, randomBytes }: RegistryPlatform): Promise<Result<RegistryRuntime>> {
  const read = readRegistryConfig(env);
  if (!read.ok) {
    return failure(
      registryFailure(
        "internal",
        "The registry is not configured correctly; GET /health lists the variables, and the log explains each error",
      ),
    );
  }
  const config = read.value;
  limitSize(databaseOf(env), maxBytesOf(env, config.DATABASE_MAX_BYTES));
  const outboxes = webhookOutboxes(env);
  const limits = {
    read: config.REGISTRY_READS_PER_MINUTE,
    write: config.REGISTRY_WRITES_PER_MINUTE,
    public: config.REGISTRY_PUBLIC_READS_PER_MINUTE,
  };
  const limitsAttempts = config.ENVIRONMENT !== "development";
  return success({
    config,
    database: databaseOf(env),
    clock,
    randomBytes,
    rates: createRequestRates(limits, clock),
    rowCosts: createRowCosts(
      {
        public: config.REGISTRY_GRAPHQL_PUBLIC_ROW_COST_PER_MINUTE,
        key: config.REGISTRY_GRAPHQL_KEY_ROW_COST_PER_MINUTE,
      },
      clock,
    ),
    deployment: deploymentBudgetOf(config, env, clock),
    attempts: limitsAttempts ? createAttemptLimit(clock, config.REGISTRY_FAILED_ATTEMPTS_PER_MINUTE) : undefined,
    secrets: await knownSecrets(config),
    outboxes,
    waker: createWaker(databaseOf(env), outboxes, clock),
    feed: createSharedFeed(
      {
        newest: () => newestChange(databaseOf(env)),
        read: (after, limit) => readChanges(databaseOf(env), after, limit),
      },
      // Followers wait in real time, even if a test replaces the clock.
      () => Date.now(),
    ),
  });
}

function deploymentBudgetOf(config: RegistryConfig, env: Env, clock: () => number): DeploymentBudget {
  const paces = { scan: config.REGISTRY_SCAN_ROW_COST_PER_SECOND, public: config.REGISTRY_PUBLIC_ROW_COST_PER_SECOND };
  return createDeploymentBudget(paces, {
    limiters: (env as Partial<Env>).RATE_LIMITER,
    clock,
    failed: (thrown) => budgetLog.error("budget-unreachable", { reason: describeThrown(thrown) }),
  });
}

/** While the configuration is wrong, every delivery fails and is retried later. */
function webhookSenderOf(env: Env, { clock }: RegistryPlatform): Sender {
  const read = readRegistryConfig(env);
  if (!read.ok) throw new Error("the registry is not configured correctly");
  return createWebhookSender({
    database: databaseOf(env),
    rule: addressRuleOf(read.value),
    fetch: (url, init) => fetch(url, init),
    clock,
    log: createLogger({ surface: "registry", requestId: "webhooks" }),
    keptTime: deliveryTime(read.value),
  });
}

function deliveryTime({ REGISTRY_WEBHOOK_DELIVERY_DAYS: days }: RegistryConfig): number | undefined {
  return days === 0 ? undefined : days * MS_PER_DAY;
}

const MS_PER_DAY = 86_400_000;

/** Maximum number of rows of one kind that a run removes. */
const REMOVED_ROWS = 1_000;

/** Steps of 100 versions in a run. */
const SHRINKING_STEPS = 5;

/** Milliseconds between two warnings about a nearly full database. */
const WARNING_INTERVAL = 3_600_000;
/** Milliseconds between two runs. */
const RUN_INTERVAL = 60_000;

/** Writes a warning once an hour while the database is nearly full. */
async function watchSize(env: DatabaseBindings, now: number, log: Logger): Promise<void> {
  if (now % WARNING_INTERVAL >= RUN_INTERVAL) return;
  const config = readRegistryConfig(env);
  if (!config.ok) return;
  const size = await measureSize(databaseOf(env), maxBytesOf(env, config.value.DATABASE_MAX_BYTES));
  if (size !== undefined && size.state !== "ok") log.warn("database-filling-up", { ...size });
}

/** `now` in milliseconds since 1970. If one job fails, the others still run. */
async function runScheduled(env: DatabaseBindings & Pick<Env, "OUTBOX">, now: number, log: Logger): Promise<void> {
  const database = databaseOf(env);
  const jobs: Readonly<Record<string, () => Promise<unknown>>> = {
    "finalise-due": () => finaliseDue(database, now),
    "remove-old-quota-uses": () => removeOldUses(database, now, REMOVED_ROWS),
    "shrink-history": () => shrinkHistory(database, SHRINKING_STEPS),
    "merge-search": () => mergeSearch(database),
    "watch-size": () => watchSize(env, now, log),
    "remove-expired-answers": () => removeExpiredUses(database, now, REMOVED_ROWS),
    // Last, so that webhooks see the changes of the other jobs.
    "wake-webhooks": () => wakeWebhooks(database, webhookOutboxes(env)),
  };
  for (const [job, run] of Object.entries(jobs)) {
    try {
      await run();
    } catch (thrown) {
      log.error("job-failed", { job, reason: describeThrown(thrown) });
    }
  }
}
