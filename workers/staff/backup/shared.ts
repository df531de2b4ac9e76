/** What the routes of backups and of restores share. */
import * as z from "zod";
import { openAudit, type Audit } from "../../../platform/audit/audit.ts";
import type { BackupRpc } from "../../../platform/backup/backup-rpc.ts";
import { backedUpClasses, bindingOf, type BackedUpClass } from "../../../shared/backup-classes.ts";
import { databaseOf } from "../../../platform/database/database-of.ts";
import { clientNetwork, readProxyTrust } from "../../../platform/http/client-address.ts";
import { OPERATOR } from "../audited.ts";
import { bySessionOrOperator, type StaffContext } from "../edge.ts";

export const shared = { tag: "Staff", auth: bySessionOrOperator, method: "post" } as const;

export const backupId = z.string().regex(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/);
export const row = z.array(z.union([z.string(), z.null()]));
export const className = z.enum(backedUpClasses);
/** A DID, an id, or the name of an outbox. */
export const objectName = z.string().min(1).max(2_048);
export const table = z.object({
  name: z.string().max(100),
  columns: z.array(z.object({ name: z.string(), kind: z.enum(["integer", "text", "bytes"]) })),
  keyLength: z.number().int().min(1),
});

export function auditOf(c: StaffContext, subject: string): Audit {
  const act = {
    actor: c.get("session")?.id ?? OPERATOR,
    network: clientNetwork(c.req.raw, readProxyTrust(c.env.env)),
    operation: c.var.operation,
    subject,
    requestId: c.env.requestId,
  };
  return openAudit(databaseOf(c.env.env), act, () => c.var.now);
}

/** Undefined if the deployment has no such objects. */
export function objectOf(c: StaffContext, of: BackedUpClass, name: string): BackupRpc | undefined {
  const env: object = c.env.env;
  const binding = Reflect.get(env, bindingOf[of]) as { getByName(name: string): BackupRpc } | undefined;
  return binding?.getByName(name);
}

export function ndjson(lines: readonly unknown[]): Response {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return new Response(text, { headers: { "Content-Type": "application/x-ndjson", "Cache-Control": "no-store" } });
}
