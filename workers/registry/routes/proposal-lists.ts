/** The lists of proposals: of one domain, and of all by what they are (contract/registry.md section 2). */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { refuse, type RegistryContext, type RegistryHono } from "../context.ts";
import { keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { proposalKinds, proposalStates, type Proposal } from "../governance/proposal.ts";
import { failureOfDetails, unknownDomain } from "../failures.ts";
import type { FailureDetail } from "../../platform/failure.ts";
import { proposalRecord, proposalRepresentation } from "../governance/representation.ts";
import { keyed } from "../middleware/keyed.ts";
import { namedDomain } from "../middleware/named-domain.ts";
import { cursorOf } from "../lists/cursor.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf } from "../middleware/query.ts";
import { readDomain } from "../store/domain-rows.ts";
import { listProposals, type ProposalFilter } from "../store/proposal-list.ts";

const tag = "Verification";
export const proposalListRoutes = new Hono<RegistryHono>();

/** Values of one filter. */
const FILTER_VALUES = 50;
const anyOf = <Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  z.array(z.enum(choices)).min(1).max(FILTER_VALUES).optional();
const texts = () => z.array(z.string().min(1)).min(1).max(FILTER_VALUES).optional();

const filters = z.object({
  state: anyOf(proposalStates).meta({ description: "Any of these states, as they are stored." }),
  kind: anyOf(proposalKinds),
  domain: texts().meta({ description: "Any of these domains." }),
  proposer: texts(),
  electorate: z
    .array(z.literal("me"))
    .max(1)
    .optional()
    .meta({ description: "`me`: those whose electorate has the caller." }),
});

const listOfDomain: Operation = {
  method: "get",
  path: "/v1/domains/:id/proposals",
  id: "listDomainProposals",
  summary: "The proposals on a domain, the newest first",
  tag,
  security: keyedSecurity,
  params: z.object({ id: z.string() }),
  query: z.object(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(proposalRecord) } },
    ...keyedProblems("invalid_did", "not_found", "invalid_cursor", "invalid_page_size"),
  },
};

proposalListRoutes.get(listOfDomain.path, keyed("domains:read"), async (c) => {
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const domainId = namedDomain(c);
  if (!domainId.ok) return refuse(c, domainId.error);
  const domain = await readDomain(c.var.runtime.database, domainId.value);
  if (domain === undefined) return refuse(c, unknownDomain().error);
  return answerList(c, query.value, { domain: [domainId.value] });
});

const list: Operation = {
  method: "get",
  path: "/v1/proposals",
  id: "listProposals",
  summary: "Proposals, the newest first",
  description: "Filters narrow the list together. A decision by time shows in lists within a minute.",
  tag,
  security: keyedSecurity,
  query: filters.extend(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(proposalRecord) } },
    ...keyedProblems("validation_failed", "invalid_cursor", "invalid_page_size"),
  },
};

proposalListRoutes.get(list.path, keyed("domains:read"), async (c) => {
  const names = Object.keys(filters.shape);
  const query = queryOf(c, ["limit", "cursor", ...names]);
  if (!query.ok) return refuse(c, query.error);
  const filter = readFilter(query.value, c.var.caller.did);
  if (!filter.ok) return refuse(c, filter.error);
  return answerList(c, query.value, filter.value);
});

function readFilter(parameters: URLSearchParams, caller: string): Result<ProposalFilter> {
  const given = Object.keys(filters.shape)
    .filter((name) => parameters.has(name))
    .map((name): [string, readonly string[]] => [name, parameters.getAll(name)]);
  const checked = filters.safeParse(Object.fromEntries(given));
  if (!checked.success) {
    const details = checked.error.issues.map(({ path, message }): FailureDetail => {
      const parameter = String(path[0]);
      return { parameter, reason: "range", message: `${parameter}: ${message}` };
    });
    return failure(failureOfDetails(details));
  }
  const { electorate, ...filter } = checked.data;
  return success({ ...filter, elector: electorate === undefined ? undefined : caller });
}

async function answerList(c: RegistryContext, query: URLSearchParams, filter: ProposalFilter): Promise<Response> {
  const limit = pageLimitOf(query);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf(["proposals", filter]);
  const position = cursor.read(query.get("cursor"), z.tuple([z.int(), z.string()]));
  if (!position.ok) return refuse(c, position.error);
  const [createdAt, id] = position.value ?? [];
  const after = createdAt === undefined || id === undefined ? undefined : { createdAt, id };
  const found = await listProposals(c.var.runtime.database, filter, { after, limit: limit.value + 1 });
  const endsAt = (last: Proposal) => [last.createdAt, last.id];
  return answerPage(c, pageFrom(found, { limit: limit.value, show: proposalRepresentation, cursor, position: endsAt }));
}

export const proposalListOperations: readonly Operation[] = [listOfDomain, list];
