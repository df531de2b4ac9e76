/**
 * Records the acts of operators in the audit log of the deployment, with the person who acted. The gateway's own log
 * (PH-104) has the acts of customers too, and no person. The row is written before the act.
 */
import type { MiddlewareHandler } from "hono";
import { openAudit, subjectOf } from "../../../platform/audit/audit.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { networkOf } from "../../../platform/http/client-address.ts";
import type { UssdHono } from "./context.ts";

/** Reads of personal data. */
const personalReads: readonly string[] = ["listActiveSessions", "debugSession"];
/** The holder of USSD_OPERATOR_TOKEN. */
const OPERATOR = "phone-operator";

export function isAudited(method: string, operation: string): boolean {
  return method !== "get" || personalReads.includes(operation);
}

export const audited: MiddlewareHandler<UssdHono> = async (c, next) => {
  const actor = c.get("staffId") ?? (c.var.operator === "granted" ? OPERATOR : undefined);
  // A development machine shows its sessions to everyone.
  if (actor === undefined) return next();
  const act = {
    actor,
    network: networkOf(c.var.address),
    operation: c.get("operation") ?? "",
    subject: subjectOf(c.req.param()),
    requestId: c.env.requestId,
  };
  const audit = openAudit(databaseOf(c.env.env), act, () => Date.now());
  await audit.writeNow();
  await next();
  const subject = c.get("subject");
  c.executionCtx.waitUntil(audit.finish(c.res.status, subject === undefined ? undefined : { subject }, c.env.log));
  return undefined;
};
