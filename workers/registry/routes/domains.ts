/** Domains (contract/registry.md sections 2 to 5): created, read, changed by merge patch, deactivated. */
import { Hono } from "hono";
import * as z from "zod";
import type { JsonObject } from "../../platform/json.ts";
import type { Operation } from "../../platform/openapi.ts";
import { success } from "../../platform/result.ts";
import { storeNewDomain } from "../commands/change-domain.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { idempotencyKey, keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { domainRecord } from "../domain/domain-schema.ts";
import type { DomainRecord } from "../domain/domain.ts";
import { creationMembers, updateMembers } from "../domain/draft.ts";
import { ignoredMembers } from "../domain/ignored-members.ts";
import { classMember, controllersMember } from "../domain/members.ts";
import { etagOf, representationOf } from "../domain/representation.ts";
import { updateDomain } from "../domain/update.ts";
import { deactivationStep } from "../domain/verification-loss.ts";
import { jsonBody } from "../middleware/body.ts";
import { type Answer, idempotent } from "../middleware/idempotency.ts";
import { keyed } from "../middleware/keyed.ts";
import { readNamedDomain } from "../middleware/named-domain.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { answerDomain, changeNamedDomain, type DomainStepOf } from "./change-named-domain.ts";

const tag = "Domains";
export const domainRoutes = new Hono<RegistryHono>();

const secondNames = { protocol: classMember.optional(), controller: controllersMember.optional() };
const entityTag = { ETag: "Of this version; send it as If-Match to change the domain" };

const createdRecord = domainRecord
  .extend({
    ignored: z.array(z.string()).optional().meta({ description: "Members of the body that mean nothing here." }),
    didYouMean: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "By ignored name: the member that it looks like." }),
  })
  .meta({ id: "CreatedDomain" });

const create: Operation = {
  method: "post",
  path: "/v1/domains",
  id: "createDomain",
  summary: "Create a domain",
  description:
    "Needs `type` and one of `class` and `protocol`. Members that are not a client's to set are ignored; the answer names them in `ignored`, so that a misspelt one is seen.",
  tag,
  security: keyedSecurity,
  body: {
    schema: creationMembers.partial({ class: true }).extend(secondNames),
    example: {
      type: "Project",
      protocol: "did:ixo:protocol/clean-cooking",
      metadata: { name: "Clean Cooking Project" },
    },
  },
  headers: idempotencyKey,
  responses: {
    201: {
      description: "The domain, awaiting verification",
      content: { schema: createdRecord },
      headers: { Location: "Its path", ...entityTag },
    },
    ...keyedProblems(
      "malformed_json",
      "validation_failed",
      "class_conflict",
      "write_contention",
      "body_too_large",
      "unsupported_media_type",
      "idempotency_mismatch",
    ),
  },
};

domainRoutes.post(create.path, keyed("domains:write"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const { runtime, caller } = c.var;
  return idempotent(c, async (remember) => {
    const body = await jsonBody(c);
    if (!body.ok) return body;
    const created = await storeNewDomain(runtime, {
      body: body.value,
      creator: caller.did,
      extra: (domain) => remember(createdAnswer(domain, body.value)),
    });
    if (!created.ok) return created;
    c.env.log.info("domain-created", { domain: created.value.id, by: caller.keyId });
    return success(createdAnswer(created.value, body.value));
  });
});

function createdAnswer(domain: DomainRecord, sent: JsonObject): Answer {
  return {
    status: 201,
    headers: { Location: `/v1/domains/${domain.id}`, ETag: etagOf(domain) },
    body: { ...representationOf(domain), ...ignoredMembers(sent) },
  };
}

const params = z.object({ id: z.string().meta({ description: "The domain's DID, raw or percent-encoded" }) });

const read: Operation = {
  method: "get",
  path: "/v1/domains/:id",
  id: "getDomain",
  summary: "Read a domain as it is now",
  tag,
  security: keyedSecurity,
  params,
  headers: knownTag,
  responses: {
    200: {
      description: "The domain",
      content: { schema: domainRecord },
      headers: { ...entityTag, "Last-Modified": "updatedAt" },
    },
    304: { description: "The domain is at the version that If-None-Match names" },
    ...keyedProblems("invalid_did", "not_found"),
  },
};

domainRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const settled = await readNamedDomain(c);
  if (!settled.ok) return refuse(c, settled.error);
  const { domain } = settled.value;
  return answerUnlessKnown(c, { etag: etagOf(domain), lastModified: domain.updatedAt }, representationOf(domain));
});

const ifMatchHeader = z.object({ "If-Match": z.string().meta({ description: "The ETag that was read, or `*`" }) });
const changeProblems = [
  "invalid_did",
  "not_found",
  "not_controller",
  "write_contention",
  "version_mismatch",
  "precondition_required",
] as const;

const update: Operation = {
  method: "patch",
  path: "/v1/domains/:id",
  id: "updateDomain",
  summary: "Change a domain by a merge patch",
  description:
    "RFC 7396, for controllers and admins. A change of class, controllers or relayer node ends a verification; a change of other content is named in `changedSinceVerification`. Any of them supersedes a vote to verify the domain. A patch that changes nothing makes no version.",
  tag,
  security: keyedSecurity,
  params,
  headers: ifMatchHeader,
  body: {
    schema: updateMembers.extend(secondNames),
    type: "application/merge-patch+json",
    example: { metadata: { name: "New" } },
  },
  responses: {
    200: { description: "The domain as it is now", content: { schema: domainRecord }, headers: entityTag },
    ...keyedProblems(
      ...changeProblems,
      "malformed_json",
      "validation_failed",
      "class_conflict",
      "class_cycle",
      "unknown_field",
      "read_only_field",
      "immutable_field",
      "suspended_by_admin",
      "domain_deactivated",
      "body_too_large",
      "unsupported_media_type",
    ),
  },
};

domainRoutes.patch(update.path, keyed("domains:write"), (c) =>
  answerChange(c, async (domain, change) => {
    const body = await jsonBody(c);
    return body.ok ? updateDomain(domain, body.value, change) : body;
  }),
);

const remove: Operation = {
  method: "delete",
  path: "/v1/domains/:id",
  id: "deactivateDomain",
  summary: "Deactivate a domain for good",
  description:
    "Record, history and DID stay readable; the verification ends and services go off. A vote to verify the domain is superseded, a vote to revoke goes on.",
  tag,
  security: keyedSecurity,
  params,
  headers: ifMatchHeader,
  responses: {
    200: { description: "The domain, deactivated", content: { schema: domainRecord }, headers: entityTag },
    ...keyedProblems(...changeProblems),
  },
};

domainRoutes.delete(remove.path, keyed("domains:write"), (c) =>
  answerChange(c, async (domain, { actor, at }) => success(await deactivationStep(domain, actor.did, at))),
);

async function answerChange(c: RegistryContext, stepOf: DomainStepOf): Promise<Response> {
  const changed = await changeNamedDomain(c, stepOf);
  return changed.ok ? answerDomain(c, changed.value.after) : refuse(c, changed.error);
}

export const domainOperations: readonly Operation[] = [create, read, update, remove];
