/**
 * Records the operator's acts on users in the audit log of the deployment. The row is written before the act. The database of an
 * author's oracle may have no audit log; then there is no row.
 */
import { createMiddleware } from "hono/factory";
import { openAudit, type Audit } from "../../../platform/audit/audit.ts";
import { databaseOf, type DatabaseBindings } from "../../../platform/database/database-of.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import type { OracleHono } from "./failures.ts";

/** The holder of ADMIN_TOKEN. */
const OPERATOR = "operator";

/** As D1 and PostgreSQL name it. */
const NO_LOG = /no such table: audit_|relation "audit_\w+" does not exist/;

export function audited(operation: string) {
  return createMiddleware<OracleHono>(async (c, next) => {
    const { env, requestId, log } = c.env;
    const { DATABASE: d1, HYPERDRIVE: postgres }: Partial<DatabaseBindings> = env;
    if (d1 === undefined && postgres === undefined) return next();
    const network = clientNetwork(c.req.raw, readProxyTrust(env));
    const act = { actor: OPERATOR, network, operation, subject: null, requestId };
    const audit = openAudit(databaseOf(env), act, c.var.personalData.clock);
    if (!(await isBegun(audit))) return next();
    await next();
    const subject = c.get("actSubject");
    c.executionCtx.waitUntil(audit.finish(c.res.status, subject === undefined ? undefined : { subject }, log));
    return undefined;
  });
}

/** False if the database has no audit log. */
async function isBegun(audit: Audit): Promise<boolean> {
  try {
    await audit.writeNow();
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && NO_LOG.test(thrown.message)) return false;
    throw thrown;
  }
}
