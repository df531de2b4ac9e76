/** The user's stored delegation (contract/oracle.md section 2.6): checked on the way in, re-checked when it is read. */
import { Hono } from "hono";
import { delegationDeleted, delegationStatusRecord, delegationStored } from "../../../protocol/records.ts";
import { storeDelegationBody } from "../../../protocol/requests.ts";
import { readJsonBody } from "../../platform/http/body.ts";
import type { Operation } from "../../platform/openapi.ts";
import { refuse, type OracleHono } from "../context.ts";
import { signedInRefusals, signedInSecurity } from "../description.ts";
import { BODY_TIME_MS, DELEGATION_BODY_BYTES } from "../../../protocol/limits.ts";
import { answerAdmitted, countBefore } from "../middleware/rate-limit.ts";
import { signedIn } from "../middleware/signed-in.ts";
import { userStore } from "../objects.ts";

const tag = "Delegation";
export const delegationRoutes = new Hono<OracleHono>();

export const storeDelegation: Operation = {
  method: "post",
  path: "/delegation",
  id: "storeDelegation",
  summary: "Store a delegation in place of the one before",
  tag,
  security: signedInSecurity,
  body: { schema: storeDelegationBody },
  responses: {
    200: { description: "Stored", content: { schema: delegationStored } },
    ...signedInRefusals({ 400: "Invalid delegation: expired", 413: "Request body too large" }),
  },
};

// Counted before: what makes this route dear is the check of a token that may turn out to be wrong.
delegationRoutes.post(storeDelegation.path, signedIn, countBefore, async (c) => {
  const body = await readJsonBody(c.req.raw, storeDelegationBody, DELEGATION_BODY_BYTES, { timeMs: BODY_TIME_MS });
  if (!body.ok) return refuse(c, body.error);
  const { caller, runtime } = c.var;
  const verified = await runtime.authenticator.verifyDelegation(body.value.raw, caller.did);
  if (!verified.ok) return refuse(c, verified.error);
  const { token, expiration: expires, capabilities } = verified.value;
  await userStore(c.env.env, caller.did).storeDelegation({ token, expiration: expires, capabilities });
  return c.json({ ok: true, expiration: expires ?? undefined });
});

export const delegationStatus: Operation = {
  method: "get",
  path: "/delegation",
  id: "delegationStatus",
  summary: "Tell whether a valid delegation is stored",
  tag,
  security: signedInSecurity,
  responses: {
    200: { description: "The status now", content: { schema: delegationStatusRecord } },
    ...signedInRefusals(),
  },
};

delegationRoutes.get(delegationStatus.path, signedIn, async (c) => {
  const vault = userStore(c.env.env, c.var.caller.did);
  const status = await vault.delegationStatus(c.var.runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE);
  return answerAdmitted(c, status, (delegation) =>
    c.json(
      delegation === null
        ? { authorized: false }
        : { authorized: true, expiration: delegation.expiration ?? undefined },
    ),
  );
});

export const revokeDelegation: Operation = {
  method: "delete",
  path: "/delegation",
  id: "revokeDelegation",
  summary: "Forget the stored delegation; also when there is none",
  tag,
  security: signedInSecurity,
  responses: {
    200: { description: "Forgotten", content: { schema: delegationDeleted } },
    ...signedInRefusals(),
  },
};

delegationRoutes.delete(revokeDelegation.path, signedIn, async (c) => {
  const vault = userStore(c.env.env, c.var.caller.did);
  const revoked = await vault.revokeDelegation(c.var.runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE);
  return answerAdmitted(c, revoked, () => c.json({ ok: true }));
});
