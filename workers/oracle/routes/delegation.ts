/** The user's stored delegation: verified when it is stored, checked for expiry when it is read. */
import { DELEGATION_BODY_BYTES } from "../../../protocol/limits.ts";
import { delegationDeleted, delegationStatusRecord, delegationStored } from "../../../protocol/records.ts";
import { storeDelegationBody } from "../../../protocol/requests.ts";
import { newFailure } from "../../../platform/failure.ts";
import { reply } from "../../../platform/http/route.ts";
import { signedIn } from "../http/authentication.ts";
import { countBefore, countedValue } from "../http/limits.ts";
import { route } from "../http/route.ts";
import { userVault } from "../objects.ts";

const tag = "Delegation";

// Counted before, because the expensive part is verifying a token that may turn out to be invalid.
const storeDelegation = route(
  {
    method: "post",
    path: "/delegation",
    id: "storeDelegation",
    summary: "Store a delegation and replace the previous one",
    tag,
    auth: signedIn,
    body: { schema: storeDelegationBody, limit: DELEGATION_BODY_BYTES },
    middleware: [countBefore],
    responses: { 200: { description: "Stored", content: { schema: delegationStored } } },
    failures: [newFailure("invalid_request", "Invalid delegation: expired")],
  },
  async ({ env, body, caller, runtime }) => {
    const sent = await body();
    if (!sent.ok) return sent;
    const verified = await runtime.authenticator.verifyDelegation(sent.value.raw, caller.did);
    if (!verified.ok) return verified;
    const { token, expiration, capabilities } = verified.value;
    await userVault(env, caller.did).storeDelegation({ token, expiration, capabilities });
    return reply({ ok: true, expiration: expiration ?? undefined });
  },
);

const delegationStatus = route(
  {
    method: "get",
    path: "/delegation",
    id: "delegationStatus",
    summary: "Get the delegation status",
    tag,
    auth: signedIn,
    responses: { 200: { description: "The current status", content: { schema: delegationStatusRecord } } },
  },
  async ({ env, caller, runtime }, c) => {
    const store = userVault(env, caller.did);
    const status = countedValue(c, await store.delegationStatus(runtime.config.ORACLE_RATE_LIMIT_PER_MINUTE));
    if (!status.ok) return status;
    if (status.value === null) return reply({ authorized: false });
    return reply({ authorized: true, expiration: status.value.expiration ?? undefined });
  },
);

const deleteDelegation = route(
  {
    method: "delete",
    path: "/delegation",
    id: "revokeDelegation",
    summary: "Revoke the delegation",
    description:
      "The stored delegation and the one in this request can no longer sign in. Succeeds even if none is stored.",
    tag,
    auth: signedIn,
    responses: { 200: { description: "Deleted", content: { schema: delegationDeleted } } },
  },
  async ({ env, caller, runtime }, c) => {
    const store = userVault(env, caller.did);
    const { ORACLE_RATE_LIMIT_PER_MINUTE: limit } = runtime.config;
    const { delegation: sent } = caller;
    const presented = sent === undefined ? undefined : { cid: sent.cid, expiration: sent.expiration };
    const revoked = countedValue(c, await store.revokeDelegation(limit, presented));
    if (!revoked.ok) return revoked;
    runtime.authenticator.revoked(caller.did, revoked.value);
    return reply({ ok: true });
  },
);

export const delegationRoutes = [storeDelegation, delegationStatus, deleteDelegation];
