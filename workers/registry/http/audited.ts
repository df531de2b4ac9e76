/**
 * Records each write of the registry in the audit log: its first change and its audit row are one batch. A handler adds
 * what changed with `noteChange`.
 */
import type { MiddlewareHandler } from "hono";
import { openAudit, subjectOf, type AuditChange } from "../../../platform/audit/audit.ts";
import type { Database } from "../../../platform/database/database.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import type { Caller } from "../caller.ts";
import type { RegistryContext, RegistryHono, RegistryRuntime } from "../context.ts";

/** They change an outbox, which is not in the database, so their row is written first. */
const changesElsewhere: readonly string[] = [
  "rotateWebhookSecret",
  "pingWebhook",
  "replayWebhookDelivery",
  "replayWebhookDeadLetters",
];

/** Its response begins before its work. */
const STREAMED = "importDomains";

/** The holder of ADMIN_TOKEN. */
const OPERATOR = "operator";

export function audited(operation: string): MiddlewareHandler<RegistryHono> {
  return async (c, next) => {
    const { runtime } = c.var;
    const caller: Caller | undefined = c.get("caller");
    const act = {
      actor: caller?.keyId ?? OPERATOR,
      network: clientNetwork(c.req.raw, readProxyTrust(c.env.env)),
      operation,
      subject: subjectOf(c.req.param()),
      requestId: c.env.requestId,
    };
    const audit = openAudit(runtime.database, act, runtime.clock);
    if (changesElsewhere.includes(operation)) await audit.writeNow();
    c.set("runtime", withDatabase(runtime, audit.database));
    const end = () => audit.finish(c.res.status, c.get("change"), c.env.log);
    if (operation === STREAMED) c.set("endAudit", end);
    await next();
    if (operation !== STREAMED || !c.res.ok) c.executionCtx.waitUntil(end());
  };
}

export function noteChange(c: RegistryContext, change: AuditChange): void {
  c.set("change", change);
}

function withDatabase(runtime: RegistryRuntime, database: Database): RegistryRuntime {
  const { config, clock, randomBytes, rates, rowCosts, deployment } = runtime;
  const { attempts, secrets, outboxes, waker, feed } = runtime;
  return {
    config,
    database,
    clock,
    randomBytes,
    rates,
    rowCosts,
    deployment,
    attempts,
    secrets,
    outboxes,
    waker,
    feed,
  };
}
