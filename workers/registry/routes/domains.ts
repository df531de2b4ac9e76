/** Domains: create, read, change by merge patch, deactivate. */
import { reply, type Reply } from "../../../platform/http/route.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { success } from "../../../platform/result.ts";
import { storeNewDomain } from "../commands/change-domain.ts";
import { deactivationStep } from "../domain/verification-loss.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { creationMembers, updateMembers } from "../domain/draft.ts";
import { ignoredForm, ignoredMembers } from "../domain/ignored-members.ts";
import { classMember, controllersMember } from "../domain/members.ts";
import { etagOf, representationOf } from "../domain/representation.ts";
import { updateDomain } from "../domain/update.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { changeNamed, domainParams, readNamed, replyDomain } from "../http/named-domain.ts";
import { jsonObjectBody, route } from "../http/route.ts";

const tag = "Domains";
const secondNames = { protocol: classMember.optional(), controller: controllersMember.optional() };
const entityTag = { ETag: "Tag of this version. Send it as If-Match to change the domain" };
const changed = { description: "The current domain", content: { schema: domainRecord }, headers: entityTag };

const createdRecord = domainRecord.extend(ignoredForm).meta({ id: "CreatedDomain" });

const create = route(
  {
    method: "post",
    path: "/v1/domains",
    id: "createDomain",
    summary: "Create a domain",
    description:
      "Needs `type` and one of `class` and `protocol`. Members that clients cannot set are ignored. The response lists them in `ignored`, so that you notice a misspelt one.",
    tag,
    auth: keyed("domains:write"),
    body: {
      ...jsonObjectBody(creationMembers.partial({ class: true }).extend(secondNames)),
      example: {
        type: "Project",
        protocol: "did:ixo:protocol/clean-cooking",
        metadata: { name: "Clean Cooking Project" },
      },
    },
    idempotent: true,
    responses: {
      201: {
        description: "The domain, awaiting verification",
        content: { schema: createdRecord },
        headers: { Location: "Its path", ...entityTag },
      },
    },
    failures: ["class_conflict", "write_contention", "quota_exceeded"],
  },
  ({ body, caller, once }, c) =>
    once(async (remember) => {
      const sent = await body();
      if (!sent.ok) return sent;
      const created = await storeNewDomain(c.var.runtime, {
        body: sent.value,
        creator: caller,
        extra: (domain) => remember(createdReply(domain, sent.value)),
      });
      if (!created.ok) return created;
      noteChange(c, { subject: created.value.id, after: { version: created.value.version } });
      c.env.log.info("domain-created", { domain: created.value.id, by: caller.keyId });
      return success(createdReply(created.value, sent.value));
    }),
);

function createdReply(domain: DomainRecord, sent: JsonObject): Reply {
  return {
    status: 201,
    headers: { Location: `/v1/domains/${domain.id}`, ETag: etagOf(domain) },
    body: { ...representationOf(domain), ...ignoredMembers(sent) },
  };
}

const read = route(
  {
    method: "get",
    path: "/v1/domains/:id",
    id: "getDomain",
    summary: "Get a domain",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    conditional: true,
    responses: {
      200: {
        description: "The domain",
        content: { schema: domainRecord },
        headers: { ...entityTag, "Last-Modified": "updatedAt" },
      },
    },
    failures: ["not_found"],
  },
  async ({ params: { id } }, c) => {
    const named = await readNamed(c, id);
    if (!named.ok) return named;
    const { domain } = named.value;
    const headers = { ETag: etagOf(domain), "Last-Modified": new Date(domain.updatedAt).toUTCString() };
    return reply(representationOf(domain), { headers });
  },
);

const update = route(
  {
    method: "patch",
    path: "/v1/domains/:id",
    id: "updateDomain",
    summary: "Change a domain with a merge patch",
    description:
      "RFC 7396, for controllers and admins. Changing the class, controllers or relayer node ends a verification. Changes of other content are listed in `changedSinceVerification`. Any change supersedes a vote to verify the domain. A patch that changes nothing creates no version.",
    tag,
    auth: keyed("domains:write"),
    params: domainParams,
    ifMatch: true,
    body: {
      ...jsonObjectBody(updateMembers.extend(secondNames)),
      type: "application/merge-patch+json",
      example: { metadata: { name: "New" } },
    },
    responses: { 200: changed },
    failures: [
      "not_found",
      "not_controller",
      "write_contention",
      "quota_exceeded",
      "class_conflict",
      "class_cycle",
      "unknown_field",
      "read_only_field",
      "immutable_field",
      "suspended_by_admin",
      "domain_deactivated",
    ],
  },
  async (input, c) => {
    const { body } = input;
    const outcome = await changeNamed(c, input, async (domain, change) => {
      const patch = await body();
      return patch.ok ? updateDomain(domain, patch.value, change) : patch;
    });
    return outcome.ok ? replyDomain(outcome.value.after) : outcome;
  },
);

const deactivate = route(
  {
    method: "delete",
    path: "/v1/domains/:id",
    id: "deactivateDomain",
    summary: "Deactivate a domain permanently",
    description:
      "The record, the history and the DID stay readable. The verification ends, and services are switched off. A vote to verify the domain is superseded; an open vote to revoke continues.",
    tag,
    auth: keyed("domains:write"),
    params: domainParams,
    ifMatch: true,
    responses: { 200: { ...changed, description: "The domain, deactivated" } },
    failures: ["not_found", "not_controller", "write_contention", "quota_exceeded"],
  },
  async (input, c) => {
    const outcome = await changeNamed(c, input, async (domain, { actor, at }) =>
      success(await deactivationStep(domain, actor.did, at)),
    );
    return outcome.ok ? replyDomain(outcome.value.after) : outcome;
  },
);

export const domainRoutes = [create, read, update, deactivate];
