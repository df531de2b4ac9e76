/** The staff surface at `/staff`: sign-in of people, their sessions, and administration of staff. */
import { Hono } from "hono";
import { sealRows } from "../../platform/audit/store.ts";
import { databaseOf, type DatabaseBindings } from "../../platform/database/database-of.ts";
import { newFailure } from "../../platform/failure.ts";
import { createAttemptLimit } from "../../platform/http/attempt-limit.ts";
import { describeThrown } from "../../platform/log.ts";
import type { Surface } from "../../platform/surface.ts";
import { auditRoutes } from "./audit-routes.ts";
import { audited } from "./audited.ts";
import { backupRoutes } from "./backup/backup-routes.ts";
import { isRestoring } from "./backup/restore-state.ts";
import { restoreRoutes } from "./backup/restore-routes.ts";
import { refuse, type StaffHono, type StaffRoute } from "./edge.ts";
import { memberRoutes } from "./member-routes.ts";
import { metricsRoutes, type MetricSources } from "./metrics-routes.ts";
import { createStaffRates } from "./rates.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";

export function staffRoutesOver(sources: MetricSources): readonly StaffRoute[] {
  return [
    ...signInRoutes,
    ...sessionRoutes,
    ...memberRoutes,
    ...auditRoutes,
    ...metricsRoutes(sources),
    ...backupRoutes,
    ...restoreRoutes,
  ];
}

/** A sign-in records itself once it knows the person; a backup, and a restore, once for all its requests. */
const recordsItself = new Set<StaffRoute>([...signInRoutes, ...backupRoutes, ...restoreRoutes]);

/** Parts of the audit log that one run seals. */
const SEALED_PARTS = 20;

export interface StaffApp extends Pick<Surface, "fetch"> {
  /** Whether a restore is in progress: then nothing else writes. */
  isRestoring(env: DatabaseBindings): Promise<boolean>;
  /** Each minute. */
  scheduled(env: DatabaseBindings): Promise<void>;
}

/** `clock` returns Unix milliseconds. */
export function createStaffApp(sources: MetricSources = {}, clock: () => number = () => Date.now()): StaffApp {
  const rates = createStaffRates(clock);
  const attempts = createAttemptLimit(clock);
  const app = new Hono<StaffHono>({ strict: false });
  for (const route of staffRoutesOver(sources)) {
    const { id, method } = route.declaration;
    const isAudited = method !== "get" && !recordsItself.has(route);
    route.mount(app, isAudited ? [audited] : [], [
      async (c, next) => {
        c.set("operation", id);
        c.set("now", clock());
        c.set("rates", rates);
        c.set("attempts", attempts);
        c.set("database", databaseOf(c.env.env));
        await next();
      },
    ]);
  }
  app.notFound((c) => refuse(c, newFailure("not_found", `Cannot ${c.req.method} ${c.env.path}`)));
  app.onError((thrown, c) => {
    c.env.log.error("request-failed", { reason: describeThrown(thrown) });
    return refuse(c, newFailure("internal", "Internal server error"));
  });
  return {
    fetch: (request, exchange, context) => app.fetch(request, exchange, context),
    isRestoring: (env) => isRestoring(databaseOf(env)),
    async scheduled(env) {
      const database = databaseOf(env);
      for (let part = 0; part < SEALED_PARTS && (await sealRows(database)); part += 1);
    },
  };
}
