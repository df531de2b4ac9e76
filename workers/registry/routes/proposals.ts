/** Proposals: opened by representatives, read and listed with any key, withdrawn while open; and the voting rules. */
import * as z from "zod";
import { sha256Hex } from "../../../platform/digest.ts";
import { reply, type Reply } from "../../../platform/http/route.ts";
import { isJsonObject } from "../../../platform/json.ts";
import { success } from "../../../platform/result.ts";
import { noteChange } from "../http/audited.ts";
import { rollOf } from "../http/roll.ts";
import { mayWithdraw, openProposal, withdrawProposal } from "../commands/proposals.ts";
import type { RegistryContext } from "../context.ts";
import { notProposer, unknownDomain, unknownProposal } from "../failures.ts";
import { proposalBody, readProposalBody, reasonText } from "../governance/proposal-body.ts";
import {
  electorsWithoutKey,
  EXAMINED_ELECTORS,
  proposalKinds,
  proposalStates,
  type Proposal,
} from "../governance/proposal.ts";
import { proposalDetail, proposalRecord, proposalRepresentation } from "../governance/representation.ts";
import { votingRulesOf, votingRulesSchema } from "../governance/voting-rules.ts";
import { keyed } from "../http/authentication.ts";
import { domainParams } from "../http/named-domain.ts";
import { pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { metered } from "../http/row-meter.ts";
import { cursorOf } from "../lists/cursor.ts";
import { LIST_ROW } from "../lists/row-budget.ts";
import { listProposals, type ProposalFilter } from "../lists/proposal-list.ts";
import { readDomain } from "../store/domain-rows.ts";
import { readEffectiveProposal } from "../store/effective-domain.ts";
import { readElectorate } from "../store/proposal-store.ts";
import { listElectorsWithoutKey } from "../store/voter-store.ts";

const tag = "Verification";
const proposalParams = z.object({ pid: z.string() });

const open = route(
  {
    method: "post",
    path: "/v1/domains/:id/proposals",
    id: "createProposal",
    summary: "Propose to verify a domain, or to revoke its verification",
    description:
      "For keys of compliance and program representatives. A proposal to verify is about the current domain: `package.domain` contains its version and digests, and a later change of its content supersedes the proposal. Takes Idempotency-Key.",
    tag,
    auth: keyed("verification:propose"),
    params: domainParams,
    body: {
      form: proposalBody,
      read: (body) => readProposalBody(isJsonObject(body) ? body : {}),
      example: {
        title: "Verify Clean Cooking",
        package: { evidence: [{ type: "report", uri: "https://example.org/1" }] },
      },
    },
    idempotent: true,
    responses: {
      201: {
        description: "The proposal, open",
        content: { schema: proposalRecord },
        headers: { Location: "Its path" },
      },
    },
    failures: [
      "not_found",
      "proposal_open",
      "already_verified",
      "not_verified",
      "domain_not_active",
      "domain_expired",
      "no_eligible_voters",
      "write_contention",
      "quota_exceeded",
      "package_mismatch",
    ],
  },
  async ({ params: { id: domainId }, body, caller, once }, c) => {
    const { database, clock, config, randomBytes } = c.var.runtime;
    if ((await readDomain(database, domainId)) === undefined) return unknownDomain();
    return once(async (remember) => {
      const draft = await body();
      if (!draft.ok) return draft;
      const opened = await openProposal(
        { database, clock, config, randomBytes, rules: votingRulesOf(config) },
        { domainId, caller, draft: draft.value, extra: (proposal) => remember(openedReply(proposal)) },
      );
      if (!opened.ok) return opened;
      const { id, kind } = opened.value;
      noteChange(c, { after: { proposal: id, kind } });
      c.env.log.info("proposal-opened", { proposal: id, kind, domain: domainId, by: caller.keyId });
      return success(openedReply(opened.value));
    });
  },
);

function openedReply(proposal: Proposal): Reply {
  const headers = { Location: `/v1/proposals/${proposal.id}` };
  return { status: 201, headers, body: proposalRepresentation(proposal) };
}

const read = route(
  {
    method: "get",
    path: "/v1/proposals/:pid",
    id: "getProposal",
    summary: "Get a proposal",
    tag,
    auth: keyed("domains:read"),
    params: proposalParams,
    conditional: true,
    responses: {
      200: { description: "The proposal", content: { schema: proposalDetail }, headers: { ETag: "Its digest" } },
    },
    failures: ["not_found"],
  },
  async ({ params: { pid } }, c) => {
    const { database, clock } = c.var.runtime;
    const proposal = await readEffectiveProposal(database, pid, clock());
    if (proposal === undefined) return unknownProposal();
    const ghosts = proposal.state === "open" ? await ghostsOf(c, pid) : success(undefined);
    if (!ghosts.ok) return ghosts;
    const withoutKey = ghosts.value === undefined ? null : electorsWithoutKey(ghosts.value.electors);
    const representation = { ...proposalRepresentation(proposal), electorsWithoutKey: withoutKey };
    const digest = await sha256Hex(JSON.stringify(representation));
    return reply(representation, { headers: { ETag: `"${digest}"` } });
  },
);

/** Electors who cannot vote now; undefined if there are too many electors to check. Each check is charged. */
function ghostsOf(c: RegistryContext, proposalId: string) {
  const { database, speakers } = rollOf(c);
  return metered(c, async (meter) => {
    meter.allow(1, LIST_ROW);
    const found = await listElectorsWithoutKey(database, speakers, { proposalId, examined: EXAMINED_ELECTORS });
    meter.charge((1 + (found?.examined ?? 0)) * LIST_ROW);
    return success(found);
  });
}

const withdraw = route(
  {
    method: "post",
    path: "/v1/proposals/:pid/withdraw",
    id: "withdrawProposal",
    summary: "Withdraw an undecided proposal",
    description: "For its proposer and for admins of the registry. Takes Idempotency-Key.",
    tag,
    auth: keyed(),
    params: proposalParams,
    body: { schema: z.object({ reason: reasonText().nullish() }), optional: true },
    idempotent: true,
    responses: { 200: { description: "The proposal, withdrawn", content: { schema: proposalRecord } } },
    failures: ["not_proposer", "not_found", "proposal_closed", "write_contention", "quota_exceeded"],
  },
  async ({ params: { pid: proposalId }, body, caller, once }, c) => {
    const { runtime } = c.var;
    const proposal = await readEffectiveProposal(runtime.database, proposalId, runtime.clock());
    if (proposal === undefined) return unknownProposal();
    if (!mayWithdraw(caller, proposal)) return notProposer();
    return once(async (remember) => {
      const sent = await body();
      if (!sent.ok) return sent;
      const { reason = null } = sent.value;
      const extra = (closed: Proposal) => remember({ body: proposalRepresentation(closed) });
      const withdrawn = await withdrawProposal(runtime, { proposalId, caller, reason, extra });
      if (!withdrawn.ok) return withdrawn;
      c.env.log.info("proposal-withdrawn", { proposal: proposalId, by: caller.keyId });
      return reply(proposalRepresentation(withdrawn.value));
    });
  },
);

const listOfDomain = route(
  {
    method: "get",
    path: "/v1/domains/:id/proposals",
    id: "listDomainProposals",
    summary: "List the proposals on a domain, newest first",
    tag,
    auth: keyed("domains:read"),
    params: domainParams,
    query: z.object(pageParameters),
    responses: pageResponse(proposalRecord),
    failures: ["not_found", "invalid_cursor"],
  },
  async ({ params: { id }, query }, c) => {
    if ((await readDomain(c.var.runtime.database, id)) === undefined) return unknownDomain();
    return replyProposals(c, query, { domain: [id] });
  },
);

/** Maximum values per filter. */
const FILTER_VALUES = 50;
/** A parameter that can be repeated. */
const anyOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (value === undefined ? undefined : [value].flat()),
    z.array(item).min(1).max(FILTER_VALUES).optional(),
  );

const list = route(
  {
    method: "get",
    path: "/v1/proposals",
    id: "listProposals",
    summary: "List proposals, newest first",
    description: "All filters must match. Lists show a decision by time within a minute.",
    tag,
    auth: keyed("domains:read"),
    query: z.object({
      ...pageParameters,
      state: anyOf(z.enum(proposalStates)).meta({ description: "Matches any of these states, as they are stored." }),
      kind: anyOf(z.enum(proposalKinds)),
      domain: anyOf(z.string().min(1)).meta({ description: "Matches any of these domains." }),
      proposer: anyOf(z.string().min(1)),
      electorate: z
        .preprocess(
          (value) => (value === undefined ? undefined : [value].flat()),
          z.array(z.literal("me")).max(1).optional(),
        )
        .meta({ description: "`me`: proposals whose electorate includes the caller." }),
    }),
    responses: pageResponse(proposalRecord),
    failures: ["invalid_cursor"],
  },
  ({ query: { limit, cursor, electorate, ...filter }, caller }, c) =>
    replyProposals(c, { limit, cursor }, { ...filter, elector: electorate === undefined ? undefined : caller.did }),
);

async function replyProposals(
  c: RegistryContext,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  filter: ProposalFilter,
) {
  const cursors = cursorOf(["proposals", filter]);
  const position = cursors.read(cursor, z.tuple([z.int(), z.string()]));
  if (!position.ok) return position;
  const after = position.value === null ? undefined : { createdAt: position.value[0], id: position.value[1] };
  const { database } = c.var.runtime;
  const found = await metered(c, async (meter) =>
    success(await listProposals({ database, meter }, filter, { after, limit: limit + 1 })),
  );
  if (!found.ok) return found;
  const endsAt = ({ createdAt, id }: Proposal) => [createdAt, id];
  return replyPage(c, pageFrom(found.value, { limit, show: proposalRepresentation, cursors, position: endsAt }));
}

const readRules = route(
  {
    method: "get",
    path: "/v1/verification-rules",
    id: "getVerificationRules",
    summary: "Get the current voting rules and the size of the voter roll",
    description: "An open proposal keeps the rules and the electorate that it was opened with.",
    tag,
    auth: keyed(),
    conditional: true,
    responses: {
      200: {
        description: "Rules, total power of the voter roll, and its voters",
        content: { schema: z.object({ rules: votingRulesSchema, totalPower: z.int(), voterCount: z.int() }) },
        headers: { ETag: "Changes with the content" },
      },
    },
  },
  async (_input, c) => {
    const { config, database } = c.var.runtime;
    const electorate = await metered(c, async (meter) => {
      meter.allow(1, LIST_ROW);
      const read = await readElectorate(database);
      meter.charge(read.voterCount * LIST_ROW);
      return success(read);
    });
    if (!electorate.ok) return electorate;
    const { totalPower, voterCount } = electorate.value;
    const rules = { rules: votingRulesOf(config), totalPower, voterCount };
    return reply(rules, { headers: { ETag: `"${await sha256Hex(JSON.stringify(rules))}"` } });
  },
);

export const proposalRoutes = [open, read, withdraw, listOfDomain, list, readRules];
