/** Records each act of staff in the audit log. The routes of sign-in do it themselves, once they know the person. */
import type { MiddlewareHandler } from "hono";
import { openAudit, subjectOf, type Audit, type AuditChange } from "../../platform/audit/audit.ts";
import { databaseOf } from "../../platform/database/database-of.ts";
import { clientNetwork, readProxyTrust } from "../../platform/http/client-address.ts";
import type { StaffContext, StaffHono } from "./edge.ts";

/** The holder of ADMIN_TOKEN. */
export const OPERATOR = "operator";

export function openStaffAudit(c: StaffContext, actor: string): Audit {
  const act = {
    actor,
    network: clientNetwork(c.req.raw, readProxyTrust(c.env.env)),
    operation: c.var.operation,
    subject: subjectOf(c.req.param()),
    requestId: c.env.requestId,
  };
  return openAudit(databaseOf(c.env.env), act, () => c.var.now);
}

export const audited: MiddlewareHandler<StaffHono> = async (c, next) => {
  const audit = openStaffAudit(c, c.get("session")?.id ?? OPERATOR);
  c.set("database", audit.database);
  await next();
  c.executionCtx.waitUntil(audit.finish(c.res.status, c.get("change"), c.env.log));
};

export function noteChange(c: StaffContext, change: AuditChange): void {
  c.set("change", change);
}
