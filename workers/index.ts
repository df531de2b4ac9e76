/**
 * The Worker: connects surfaces and objects, and exports the Durable Object classes with their dependencies injected.
 * It is the only file that knows both sides of every port.
 */
import { tracing } from "cloudflare:workers";
import { backedUp, creditLedgerBackup, userVaultBackup } from "../durable-objects/backed-up.ts";
import { defineChatSession } from "../durable-objects/chat-session.ts";
import { CreditLedger as CreditLedgerObject } from "../durable-objects/credit-ledger.ts";
import { defineOutbox } from "../durable-objects/outbox.ts";
import { UserVault as UserVaultObject } from "../durable-objects/user-vault.ts";
import { defineUssdSession, securityNoticeText } from "../durable-objects/ussd-session.ts";
import { withConnections } from "../platform/database/connection-scope.ts";
import { sharingConnections } from "../platform/database/object-connections.ts";
import descriptorImage from "../proto/descriptors/ixo.binpb";
import { traceWith } from "../platform/trace.ts";
import { createDispatcher } from "./dispatch.ts";
import { createBundledOracle } from "./oracle/app.ts";
import { openOraclePort } from "./oracle/port.ts";
import { createQueryGatewayApp } from "./query-gateway/app.ts";
import { registry } from "./registry/app.ts";
import { createPagesApp } from "./pages/app.ts";
import { readPagesConfig } from "./pages/config.ts";
import { unknownPathPage } from "./pages/unknown-path-page.ts";
import { createStaffApp } from "./staff/app.ts";
import { DEFAULT_OWNER, ownerOf } from "./surfaces.ts";
import { createUssdApp } from "./ussd/app.ts";

traceWith(tracing);

const oracle = createBundledOracle({
  document: (env, did) => registry.directory(env).document(did),
  readRegistry: (request, env, user) => registry.read(request, env, `oracle ${user}`),
  otherOwnerOf: (path) => {
    const owner = ownerOf(path);
    return owner === "oracle" || owner === DEFAULT_OWNER ? undefined : owner;
  },
});

const ussd = createUssdApp((env, waitUntil) => oracle.users(env, waitUntil));

export { MetricStore } from "../durable-objects/metric-store.ts";
export { RateLimiter } from "../durable-objects/rate-limiter.ts";
export class CreditLedger extends sharingConnections(backedUp(CreditLedgerObject, creditLedgerBackup)) {}
export class UserVault extends sharingConnections(backedUp(UserVaultObject, userVaultBackup)) {}
export class Outbox extends sharingConnections(
  backedUp(
    defineOutbox({
      senders: (env) => ({ webhook: registry.webhookSender(env), sms: ussd.smsSender(env, securityNoticeText) }),
    }),
    {},
  ),
) {}
export class ChatSession extends sharingConnections(
  backedUp(
    defineChatSession({
      settings: (env) => oracle.sessionSettings(env),
      channel: (env) => oracle.channelSettings(env),
    }),
    {},
  ),
) {}

export class UssdSession extends sharingConnections(
  defineUssdSession(async (env) => {
    const opened = await openOraclePort({ env, runtime: () => oracle.runtime(env) });
    return ussd.sessionSettings(env, {
      domains: registry.directory(env),
      ...(opened.ok ? { oracle: opened.value } : {}),
    });
  }),
) {}

const queryGateway = createQueryGatewayApp({
  source: registry.directory,
  image: descriptorImage,
  otherOwnerOf: (path) => {
    const owner = ownerOf(path);
    return owner === "query-gateway" ? undefined : owner;
  },
});

const apps = { oracle, registry, ussd, "query-gateway": queryGateway };
const staff = createStaffApp(apps);
const dispatch = createDispatcher({
  apps: { ...apps, shared: createPagesApp({ surfaces: apps, staff }) },
  hosts: readPagesConfig,
  pageOfUnknownPath: unknownPathPage,
});

export default {
  fetch: dispatch,
  /** Every minute (wrangler.toml); each surface limits its own work. */
  async scheduled(controller, env, context): Promise<void> {
    const jobs = async (): Promise<void> => {
      // Its jobs would write rows between those of the backup.
      if (await staff.isRestoring(env)) return;
      await Promise.all([
        registry.scheduled(env, context, controller.scheduledTime),
        ussd.scheduled(env, context),
        staff.scheduled(env),
        oracle.scheduled(env, context, controller.scheduledTime),
      ]);
    };
    await withConnections(env, jobs, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler<Env>;
