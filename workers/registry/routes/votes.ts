/** Votes on a proposal (contract/registry.md section 6.4); any reader sees who voted, how, with what weight and why. */
import { Hono } from "hono";
import * as z from "zod";
import type { Operation } from "../../platform/openapi.ts";
import { failure, success } from "../../platform/result.ts";
import { refuse, type RegistryHono } from "../context.ts";
import { idempotencyKey, keyedProblems, keyedSecurity, pageOf, pageParameters } from "../description.ts";
import { readShape, wellFormed } from "../domain/shape.ts";
import { castVote, readBallot, type CastVote } from "../commands/cast-vote.ts";
import { registryFailure, failureOfDetails, unknownProposal } from "../failures.ts";
import { voteRecord, voteRepresentation } from "../governance/representation.ts";
import { voteOptions } from "../governance/tally.ts";
import type { Vote } from "../governance/proposal.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { jsonBody } from "../middleware/body.ts";
import { idempotent, type Answer } from "../middleware/idempotency.ts";
import { keyed } from "../middleware/keyed.ts";
import { answerPage, pageFrom, pageLimitOf, queryOf } from "../middleware/query.ts";
import { readProposal } from "../store/proposal-store.ts";
import { listVotes, readVote } from "../store/vote-store.ts";

const tag = "Verification";
export const voteRoutes = new Hono<RegistryHono>();

/** Characters. */
const RATIONALE_LENGTH = 1_000;

const voteBody = z.object({
  option: z.enum(voteOptions),
  rationale: z.string().max(RATIONALE_LENGTH).check(wellFormed).nullish(),
});
const params = z.object({ pid: z.string() });

const cast: Operation = {
  method: "post",
  path: "/v1/proposals/:pid/votes",
  id: "castVote",
  summary: "Vote on a proposal",
  description:
    "A voter is a DID: two keys of one DID have one vote. The same vote again is answered with 200 while the proposal is open; after the end only with its Idempotency-Key, else with 409.",
  tag,
  security: keyedSecurity,
  params,
  body: { schema: voteBody, example: { option: "yes", rationale: "The evidence is complete" } },
  headers: idempotencyKey,
  responses: {
    200: { description: "The vote stood already, or replaces an earlier one", content: { schema: voteRecord } },
    201: { description: "The vote counts", content: { schema: voteRecord } },
    ...keyedProblems(
      "not_in_electorate",
      "not_found",
      "malformed_json",
      "validation_failed",
      "voting_closed",
      "proposal_closed",
      "already_voted",
      "write_contention",
      "body_too_large",
      "unsupported_media_type",
      "idempotency_mismatch",
    ),
  },
};

voteRoutes.post(cast.path, keyed("verification:vote"), async (c) => {
  const { runtime, caller } = c.var;
  const proposalId = c.req.param("pid") ?? "";
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const ballot = await readBallot(runtime, proposalId, caller.did);
  if (!ballot.ok) return refuse(c, ballot.error);
  const body = await jsonBody(c, { limit: SMALL_BODY_BYTES });
  if (!body.ok) return refuse(c, body.error);
  return idempotent(c, async (remember) => {
    const draft = readShape(voteBody, body.value);
    if (!draft.ok) return failure(failureOfDetails(draft.error));
    const { option, rationale = null } = draft.value;
    const extra = (voted: CastVote) => remember(votedAnswer(voted));
    const voted = await castVote(runtime, { proposalId, voter: caller.did, option, rationale, extra }, ballot.value);
    if (!voted.ok) return voted;
    const { power } = voted.value.vote;
    c.env.log.info("vote-cast", { proposal: proposalId, voter: caller.did, power, by: caller.keyId });
    return success(votedAnswer(voted.value));
  });
});

function votedAnswer({ vote, isFirst }: CastVote): Answer {
  return { status: isFirst ? 201 : 200, body: voteRepresentation(vote) };
}

const list: Operation = {
  method: "get",
  path: "/v1/proposals/:pid/votes",
  id: "listVotes",
  summary: "The votes on a proposal in the order of casting",
  tag,
  security: keyedSecurity,
  params,
  query: z.object(pageParameters),
  responses: {
    200: { description: "One page", content: { schema: pageOf(voteRecord) } },
    ...keyedProblems("not_found", "invalid_cursor", "invalid_page_size"),
  },
};

voteRoutes.get(list.path, keyed("domains:read"), async (c) => {
  const { database } = c.var.runtime;
  const proposalId = c.req.param("pid") ?? "";
  const query = queryOf(c, ["limit", "cursor"]);
  if (!query.ok) return refuse(c, query.error);
  const limit = pageLimitOf(query.value);
  if (!limit.ok) return refuse(c, limit.error);
  const cursor = cursorOf(["votes", proposalId]);
  const position = cursor.read(query.value.get("cursor"), z.tuple([z.int(), z.string()]));
  if (!position.ok) return refuse(c, position.error);
  if ((await readProposal(database, proposalId)) === undefined) return refuse(c, unknownProposal().error);
  const [castAt, voter] = position.value ?? [];
  const after = castAt === undefined || voter === undefined ? undefined : { castAt, voter };
  const found = await listVotes(database, proposalId, { after, limit: limit.value + 1 });
  const endsAt = (last: Vote) => [last.castAt, last.voter];
  return answerPage(c, pageFrom(found, { limit: limit.value, show: voteRepresentation, cursor, position: endsAt }));
});

const readOwn: Operation = {
  method: "get",
  path: "/v1/proposals/:pid/votes/me",
  id: "getOwnVote",
  summary: "The caller's vote on a proposal",
  tag,
  security: keyedSecurity,
  params,
  responses: { 200: { description: "The vote", content: { schema: voteRecord } }, ...keyedProblems("not_found") },
};

voteRoutes.get(readOwn.path, keyed("domains:read"), async (c) => {
  const { database } = c.var.runtime;
  const query = queryOf(c);
  if (!query.ok) return refuse(c, query.error);
  const vote = await readVote(database, c.req.param("pid") ?? "", c.var.caller.did);
  if (vote === undefined) return refuse(c, registryFailure("not_found", "This DID has not voted on such a proposal"));
  return c.json(voteRepresentation(vote));
});

export const voteOperations: readonly Operation[] = [cast, list, readOwn];
