/** Proposals (contract/registry.md sections 2 and 6.2): made by representatives, read by everybody with a key. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { idempotencyKey, keyedProblems, keyedSecurity, knownTag } from "../description.ts";
import { sha256Hex } from "../../platform/digest.ts";
import { readShape } from "../domain/shape.ts";
import { openProposal } from "../commands/proposals.ts";
import { proposalBody, readProposalBody, reasonText } from "../governance/proposal-body.ts";
import type { Proposal } from "../governance/proposal.ts";
import { failureOfDetails, unknownDomain, unknownProposal, notProposer } from "../failures.ts";
import { proposalRecord, proposalRepresentation } from "../governance/representation.ts";
import { votingRulesOf } from "../governance/voting-rules.ts";
import { mayWithdraw, withdrawProposal } from "../commands/proposals.ts";
import { jsonBody } from "../middleware/body.ts";
import { idempotent, type Answer } from "../middleware/idempotency.ts";
import { keyed } from "../middleware/keyed.ts";
import { namedDomain } from "../middleware/named-domain.ts";
import { answerUnlessKnown } from "../middleware/preconditions.ts";
import { queryOf } from "../middleware/query.ts";
import { readDomain } from "../store/domain-rows.ts";
import { readEffectiveProposal } from "../store/effective-domain.ts";

const tag = "Verification";
export const proposalRoutes = new Hono<RegistryHono>();

const create: Operation = {
  method: "post",
  path: "/v1/domains/:id/proposals",
  id: "createProposal",
  summary: "Propose to verify a domain, or to revoke its verification",
  description:
    "For keys of compliance and program representatives. A proposal to verify is about the domain as it is now: `package.domain` names its version and digests, and a later change of its content supersedes the proposal. Takes Idempotency-Key.",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  body: {
    schema: proposalBody,
    example: {
      title: "Verify Clean Cooking",
      package: { evidence: [{ type: "report", uri: "https://example.org/1" }] },
    },
  },
  headers: idempotencyKey,
  responses: {
    201: { description: "The proposal, open", content: { schema: proposalRecord }, headers: { Location: "Its path" } },
    ...keyedProblems(
      "invalid_did",
      "not_found",
      "malformed_json",
      "validation_failed",
      "proposal_open",
      "already_verified",
      "not_verified",
      "domain_not_active",
      "domain_expired",
      "no_eligible_voters",
      "write_contention",
      "body_too_large",
      "unsupported_media_type",
      "package_mismatch",
      "idempotency_mismatch",
    ),
  },
};

proposalRoutes.post(create.path, keyed("verification:propose"), async (c) => {
  const { runtime, caller } = c.var;
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const domainId = namedDomain(c);
  if (!domainId.ok) return refuse(c, domainId.error);
  if ((await readDomain(runtime.database, domainId.value)) === undefined) return refuse(c, unknownDomain().error);
  const body = await jsonBody(c);
  if (!body.ok) return refuse(c, body.error);
  return idempotent(c, async (remember) => {
    const draft = readProposalBody(body.value);
    if (!draft.ok) return draft;
    const opened = await openProposal(
      { ...runtime, rules: votingRulesOf(runtime.config) },
      { domainId: domainId.value, caller, draft: draft.value, extra: (proposal) => remember(createdAnswer(proposal)) },
    );
    if (!opened.ok) return opened;
    const { id, kind } = opened.value;
    c.env.log.info("proposal-opened", { proposal: id, kind, domain: domainId.value, by: caller.keyId });
    return success(createdAnswer(opened.value));
  });
});

function createdAnswer(proposal: Proposal): Answer {
  return {
    status: 201,
    headers: { Location: `/v1/proposals/${proposal.id}` },
    body: proposalRepresentation(proposal),
  };
}

const proposalParams = z.object({ pid: z.string() });

const read: Operation = {
  method: "get",
  path: "/v1/proposals/:pid",
  id: "getProposal",
  summary: "One proposal as it stands now",
  tag,
  security: keyedSecurity,
  params: proposalParams,
  headers: knownTag,
  responses: {
    200: { description: "The proposal", content: { schema: proposalRecord }, headers: { ETag: "Its digest" } },
    304: { description: "Not changed" },
    ...keyedProblems("not_found"),
  },
};

proposalRoutes.get(read.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const proposal = await namedProposal(c);
  if (proposal === undefined) return refuse(c, unknownProposal().error);
  const representation = proposalRepresentation(proposal);
  const digest = await sha256Hex(JSON.stringify(representation));
  return answerUnlessKnown(c, { etag: `"${digest}"` }, representation);
});

const withdrawalBody = z.object({ reason: reasonText().nullish() });

const withdraw: Operation = {
  method: "post",
  path: "/v1/proposals/:pid/withdraw",
  id: "withdrawProposal",
  summary: "Withdraw a proposal that is not decided yet",
  description: "For its proposer and for admins of the registry. Takes Idempotency-Key.",
  tag,
  security: keyedSecurity,
  params: proposalParams,
  body: { schema: withdrawalBody },
  headers: idempotencyKey,
  responses: {
    200: { description: "The proposal, withdrawn", content: { schema: proposalRecord } },
    ...keyedProblems(
      "not_proposer",
      "not_found",
      "malformed_json",
      "validation_failed",
      "proposal_closed",
      "write_contention",
      "body_too_large",
      "unsupported_media_type",
      "idempotency_mismatch",
    ),
  },
};

proposalRoutes.post(withdraw.path, keyed(), async (c) => {
  const { runtime, caller } = c.var;
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const proposal = await namedProposal(c);
  if (proposal === undefined) return refuse(c, unknownProposal().error);
  if (!mayWithdraw(caller, proposal)) {
    return refuse(c, notProposer().error);
  }
  const body = await jsonBody(c, { optional: true });
  if (!body.ok) return refuse(c, body.error);
  return idempotent(c, async (remember) => {
    const draft = readShape(withdrawalBody, body.value);
    if (!draft.ok) return failure(failureOfDetails(draft.error));
    const withdrawn = await withdrawProposal(runtime, {
      proposalId: proposal.id,
      caller,
      reason: draft.value.reason ?? null,
      extra: (closed) => remember(withdrawnAnswer(closed)),
    });
    if (!withdrawn.ok) return withdrawn;
    c.env.log.info("proposal-withdrawn", { proposal: proposal.id, by: caller.keyId });
    return success(withdrawnAnswer(withdrawn.value));
  });
});

function withdrawnAnswer(proposal: Proposal): Answer {
  return { status: 200, body: proposalRepresentation(proposal) };
}

async function namedProposal(c: RegistryContext): Promise<Proposal | undefined> {
  const { database, clock } = c.var.runtime;
  return readEffectiveProposal(database, c.req.param("pid") ?? "", clock());
}

export const proposalOperations: readonly Operation[] = [create, read, withdraw];
