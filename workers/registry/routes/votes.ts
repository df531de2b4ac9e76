/** Votes on proposals: cast, listed in order of casting, and the caller's own vote with its power. */
import * as z from "zod";
import { reply, type Reply } from "../../../platform/http/route.ts";
import { success } from "../../../platform/result.ts";
import { castVote, readBallot, type CastVote } from "../commands/cast-vote.ts";
import { wellFormed } from "../domain/shape.ts";
import { refused, unknownProposal } from "../failures.ts";
import type { Vote } from "../governance/proposal.ts";
import { ownVoteRecord, ownVoteRepresentation, voteRecord, voteRepresentation } from "../governance/representation.ts";
import { count } from "../../../platform/metrics/counters.ts";
import { traced } from "../../../platform/trace.ts";
import { voteOptions } from "../../../shared/vote-tally.ts";
import { noteChange } from "../http/audited.ts";
import { keyed } from "../http/authentication.ts";
import { pageFrom, pageParameters, pageResponse, replyPage } from "../http/pages.ts";
import { route } from "../http/route.ts";
import { meteredPage } from "../http/row-meter.ts";
import { SMALL_BODY_BYTES } from "../limits.ts";
import { cursorOf } from "../lists/cursor.ts";
import { readProposal } from "../store/proposal-store.ts";
import { listOwnVotes, listVotes, readVote } from "../store/vote-store.ts";

const tag = "Verification";
const params = z.object({ pid: z.string() });
const content = { schema: voteRecord };
/** Characters. */
const RATIONALE_LENGTH = 1_000;

const cast = route(
  {
    method: "post",
    path: "/v1/proposals/:pid/votes",
    id: "castVote",
    summary: "Vote on a proposal",
    description:
      "A voter is a DID: two keys of one DID share one vote. Repeating the same vote returns 200 while the proposal is open. After it ends, it returns 200 only with its Idempotency-Key, otherwise 409.",
    tag,
    auth: keyed("verification:vote"),
    params,
    body: {
      schema: z.object({
        option: z.enum(voteOptions),
        rationale: z.string().max(RATIONALE_LENGTH).check(wellFormed).nullish(),
      }),
      limit: SMALL_BODY_BYTES,
      example: { option: "yes", rationale: "The evidence is complete" },
    },
    idempotent: true,
    responses: {
      200: { description: "The vote was already cast, or replaces an earlier one", content },
      201: { description: "The vote was cast", content },
    },
    failures: [
      "not_in_electorate",
      "not_found",
      "voting_closed",
      "proposal_closed",
      "already_voted",
      "write_contention",
      "quota_exceeded",
    ],
  },
  async ({ params: { pid: proposalId }, body, caller: { did: voter, keyId }, once }, c) => {
    const { runtime } = c.var;
    const ballot = await readBallot(runtime, proposalId, voter);
    if (!ballot.ok) return ballot;
    return once(async (remember) => {
      const sent = await body();
      if (!sent.ok) return sent;
      const { option, rationale = null } = sent.value;
      const extra = (voted: CastVote) => remember(votedReply(voted));
      const voted = await traced("vote", { "twinedge.vote.option": option }, () =>
        castVote(runtime, { proposalId, voter, option, rationale, extra }, ballot.value),
      );
      if (!voted.ok) return voted;
      const { power } = voted.value.vote;
      if (voted.value.isFirst) count(c.env.env, "registry_votes_total", { option });
      noteChange(c, { after: { voter, power } });
      c.env.log.info("vote-cast", { proposal: proposalId, voter, power, by: keyId });
      return success(votedReply(voted.value));
    });
  },
);

function votedReply({ vote, isFirst }: CastVote): Reply {
  return { status: isFirst ? 201 : 200, body: voteRepresentation(vote) };
}

const list = route(
  {
    method: "get",
    path: "/v1/proposals/:pid/votes",
    id: "listVotes",
    summary: "List the votes on a proposal in the order they were cast",
    tag,
    auth: keyed("domains:read"),
    params,
    query: z.object(pageParameters),
    responses: pageResponse(voteRecord),
    failures: ["not_found", "invalid_cursor"],
  },
  async ({ params: { pid }, query: { limit, cursor } }, c) => {
    const { database } = c.var.runtime;
    const cursors = cursorOf(["votes", pid]);
    const position = cursors.read(cursor, z.tuple([z.int(), z.string()]));
    if (!position.ok) return position;
    if ((await readProposal(database, pid)) === undefined) return unknownProposal();
    const after = position.value === null ? undefined : { castAt: position.value[0], voter: position.value[1] };
    const votes = await meteredPage(c, limit + 1, () => listVotes(database, pid, { after, limit: limit + 1 }));
    if (!votes.ok) return votes;
    const endsAt = ({ castAt, voter }: Vote) => [castAt, voter];
    return replyPage(c, pageFrom(votes.value, { limit, show: voteRepresentation, cursors, position: endsAt }));
  },
);

const readOwn = route(
  {
    method: "get",
    path: "/v1/proposals/:pid/votes/me",
    id: "getOwnVote",
    summary: "Get the caller's vote on a proposal",
    tag,
    auth: keyed("domains:read"),
    params,
    responses: { 200: { description: "The vote", content } },
    failures: ["not_found"],
  },
  async ({ params: { pid }, caller }, c) => {
    const vote = await readVote(c.var.runtime.database, pid, caller.did);
    return vote === undefined
      ? refused("not_found", "This DID has not voted on such a proposal")
      : reply(voteRepresentation(vote));
  },
);

/** Maximum proposals that one request can name. */
const NAMED_PROPOSALS = 50;

const listOwn = route(
  {
    method: "get",
    path: "/v1/votes/me",
    id: "listOwnVotes",
    summary: "Get the caller's power and votes on proposals",
    description:
      "Returns one item for each named proposal whose electorate includes the caller's DID, with its power there. `vote` is null until it is cast.",
    tag,
    auth: keyed("domains:read"),
    query: z.object({
      proposal: z
        .preprocess(
          (value) => (value === undefined ? undefined : [value].flat()),
          z.array(z.string().min(1)).min(1).max(NAMED_PROPOSALS),
        )
        .meta({ description: "Ids of proposals; repeat it for several." }),
    }),
    responses: pageResponse(ownVoteRecord),
    failures: [],
  },
  async ({ query: { proposal }, caller }, c) => {
    const own = await meteredPage(c, proposal.length, () => listOwnVotes(c.var.runtime.database, caller.did, proposal));
    if (!own.ok) return own;
    return replyPage(c, { items: own.value.map(ownVoteRepresentation), limit: NAMED_PROPOSALS, nextCursor: null });
  },
);

export const voteRoutes = [cast, list, readOwn, listOwn];
