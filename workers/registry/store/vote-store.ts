/**
 * All SQL about votes. A vote is stored only by a statement that finds its proposal open, undecided and before its end,
 * and that finds the elector's weight. The tally is summed again from the votes in the same batch. So the last vote of
 * a decided proposal is always the deciding vote.
 */
import type { Database, Statement } from "../../../platform/database/database.ts";
import type { DomainRecord } from "../domain/domain.ts";
import type { Ballot, OwnVote, Vote } from "../governance/proposal.ts";
import { decidingBounds, type VoteOption } from "../../../shared/vote-tally.ts";
import { requireThat } from "./batch.ts";
import { domainColumns, type DomainRow, recordOf } from "./domain-rows.ts";
import { ballotColumns, ballotOf, type BallotRow, hasSameContent } from "./proposal-store.ts";
import { keysetPage } from "./sql.ts";

interface VoteRow {
  readonly proposal_id: string;
  readonly voter: string;
  readonly option: VoteOption;
  readonly power: number;
  readonly rationale: string | null;
  readonly cast_at: number;
}

const voteColumns = "votes.proposal_id, votes.voter, votes.option, votes.power, votes.rationale, votes.cast_at";

export async function readVote(database: Database, proposalId: string, voter: string): Promise<Vote | undefined> {
  const row = await voteStatement(database, proposalId, voter).first<VoteRow>();
  return row === null ? undefined : voteOf(row);
}

function voteStatement(database: Database, proposalId: string, voter: string): Statement {
  const text = `SELECT ${voteColumns} FROM votes WHERE proposal_id = ? AND voter = ?`;
  return database.prepare(text).bind(proposalId, voter);
}

/** The state on which a vote is decided, read in one consistent query. */
export interface VotingState {
  readonly ballot: Ballot;
  /** The domain of the proposal, as stored. */
  readonly domain: DomainRecord;
  /** The voter's weight in the electorate; undefined if the voter is not in it. */
  readonly weight: number | undefined;
  /** The voter's current vote. */
  readonly vote: Vote | undefined;
}

/** Undefined if there is no such proposal. */
export async function readVotingState(
  database: Database,
  proposalId: string,
  voter: string,
): Promise<VotingState | undefined> {
  const [ballots, domains, weights, votes] = await database.batch([
    database.prepare(`SELECT ${ballotColumns} FROM proposals WHERE id = ?`).bind(proposalId),
    database
      .prepare(`SELECT ${domainColumns} FROM domains WHERE id = (SELECT domain_id FROM proposals WHERE id = ?)`)
      .bind(proposalId),
    database.prepare("SELECT weight FROM proposal_electors WHERE proposal_id = ? AND did = ?").bind(proposalId, voter),
    voteStatement(database, proposalId, voter),
  ]);
  const [ballot, domain] = [ballots?.results[0] as BallotRow | undefined, domains?.results[0] as DomainRow | undefined];
  if (ballot === undefined || domain === undefined) return undefined;
  const [weight, vote] = [
    weights?.results[0] as { weight: number } | undefined,
    votes?.results[0] as VoteRow | undefined,
  ];
  return {
    ballot: ballotOf(ballot),
    domain: recordOf(domain),
    weight: weight?.weight,
    vote: vote === undefined ? undefined : voteOf(vote),
  };
}

/** The vote after which a page begins, in the order of casting. */
export interface VotePosition {
  readonly castAt: number;
  readonly voter: string;
}

export async function listVotes(
  database: Database,
  proposalId: string,
  { after, limit }: { readonly after: VotePosition | undefined; readonly limit: number },
): Promise<readonly Vote[]> {
  const { results } = await keysetPage(database, {
    columns: voteColumns,
    source: "votes",
    where: ({ bind }) => [`proposal_id = ${bind(proposalId)}`],
    order: ["cast_at", "voter"],
    after: after && [after.castAt, after.voter],
    limit,
  }).all<VoteRow>();
  return results.map(voteOf);
}

/**
 * The named proposals whose electorate contains the DID, in the order of their ids. On PostgreSQL, OFFSET 0 makes it look up the electors
 * of each proposal; without it, the view would join all proposals first.
 */
export async function listOwnVotes(
  database: Database,
  voter: string,
  proposalIds: readonly string[],
): Promise<readonly OwnVote[]> {
  const text = `SELECT electors.proposal_id AS elector_of, electors.weight, ${voteColumns}
    FROM (SELECT DISTINCT value FROM json_each(?1)) AS named
    -- PostgreSQL, not the next line: CROSS JOIN LATERAL (
    CROSS JOIN proposal_electors AS electors ON electors.proposal_id = named.value AND electors.did = ?2
    -- PostgreSQL: SELECT * FROM proposal_electors WHERE proposal_id = named.value AND did = ?2 OFFSET 0) AS electors
    LEFT JOIN votes ON votes.proposal_id = electors.proposal_id AND votes.voter = electors.did
    ORDER BY electors.proposal_id`;
  type Row = { readonly elector_of: string; readonly weight: number } & (VoteRow | Record<keyof VoteRow, null>);
  const { results } = await database.prepare(text).bind(JSON.stringify(proposalIds), voter).all<Row>();
  return results.map((row) => ({
    proposalId: row.elector_of,
    power: row.weight,
    vote: row.proposal_id === null ? undefined : voteOf(row),
  }));
}

/** Open, undecided, and still about the content that its voters saw. */
const accepting = `proposals.state = 'open' AND proposals.due_at = proposals.ends_at AND EXISTS (
  SELECT 1 FROM domains
  WHERE domains.id = proposals.domain_id AND domains.open_proposal_id = proposals.id AND ${hasSameContent})`;

/**
 * Stores a first vote, or a vote that replaces `replaced` where the rules allow that, and sums the tally again.
 * Conflicts if the proposal no longer accepts votes, or if the voter's vote differs from what the writer read.
 */
export function castStatements(database: Database, vote: Vote, replaced: Vote | undefined): readonly Statement[] {
  const { proposalId, voter, option, power, rationale, castAt } = vote;
  return [
    replaced === undefined ? insertion(database, vote) : replacement(database, vote, replaced),
    requireThat(
      database,
      `EXISTS (SELECT 1 FROM votes WHERE proposal_id = ?1 AND voter = ?2 AND option = ?3 AND power = ?4
         AND rationale IS ?5 AND cast_at = ?6)`,
      proposalId,
      voter,
      option,
      power,
      rationale,
      castAt,
    ),
    database.prepare(SUM_AGAIN).bind(proposalId),
  ];
}

/** After a deciding vote: the proposal is due at the time of that vote. */
export function dueStatement(database: Database, { proposalId, castAt }: Vote): Statement {
  return database.prepare("UPDATE proposals SET due_at = ?2 WHERE id = ?1 AND state = 'open'").bind(proposalId, castAt);
}

/** After a vote that does not decide: conflicts if it does decide together with votes that arrived meanwhile. */
export function expectStillOpen(
  database: Database,
  { id, totalPower, rules }: Pick<Ballot, "id" | "totalPower" | "rules">,
): Statement {
  const bounds = JSON.stringify(decidingBounds(totalPower, rules));
  return requireThat(database, `NOT EXISTS (SELECT 1 FROM proposals WHERE id = ?1 AND ${isDecided})`, id, bounds);
}

/** For a response about an earlier vote: the vote is unchanged, and its proposal is still open. */
export function standingStatements(
  database: Database,
  { proposalId, voter, option, castAt }: Vote,
): readonly Statement[] {
  return [
    requireThat(
      database,
      `EXISTS (SELECT 1 FROM votes JOIN proposals ON proposals.id = votes.proposal_id
         WHERE proposal_id = ?1 AND voter = ?2 AND option = ?3 AND cast_at = ?4 AND ${accepting})`,
      proposalId,
      voter,
      option,
      castAt,
    ),
  ];
}

/** A second first vote of one voter fails on its key. */
function insertion(database: Database, { proposalId, voter, option, rationale, castAt }: Vote): Statement {
  return database
    .prepare(
      `INSERT INTO votes (proposal_id, voter, option, power, rationale, cast_at)
       SELECT proposals.id, electors.did, ?3, electors.weight, ?4, ?5
       FROM proposals JOIN proposal_electors AS electors ON electors.proposal_id = proposals.id AND electors.did = ?2
       WHERE proposals.id = ?1 AND ${accepting} AND ?5 < proposals.ends_at`,
    )
    .bind(proposalId, voter, option, rationale, castAt);
}

function replacement(database: Database, vote: Vote, replaced: Vote): Statement {
  const { proposalId, voter, option, rationale, castAt } = vote;
  return database
    .prepare(
      `UPDATE votes SET option = ?3, rationale = ?4, cast_at = ?5
       WHERE proposal_id = ?1 AND voter = ?2 AND option = ?6 AND cast_at = ?7 AND EXISTS (
         SELECT 1 FROM proposals WHERE id = ?1 AND ${accepting} AND ?5 < ends_at AND CAST(rules ->> 'allowRevote' AS INTEGER) = 1)`,
    )
    .bind(proposalId, voter, option, rationale, castAt, replaced.option, replaced.castAt);
}

const SUM_AGAIN = `
  UPDATE proposals SET yes = sums.yes, no = sums.no, abstain = sums.abstain, no_with_veto = sums.no_with_veto
  FROM (
    SELECT COALESCE(SUM(power) FILTER (WHERE option = 'yes'), 0) AS yes,
           COALESCE(SUM(power) FILTER (WHERE option = 'no'), 0) AS no,
           COALESCE(SUM(power) FILTER (WHERE option = 'abstain'), 0) AS abstain,
           COALESCE(SUM(power) FILTER (WHERE option = 'no_with_veto'), 0) AS no_with_veto
    FROM votes WHERE proposal_id = ?1
  ) AS sums
  WHERE id = ?1 AND state = 'open'`;

/** SQL on `proposals`: its tally satisfies the bounds of `decidingBounds`. `?2` is their JSON. */
const isDecided = `EXISTS (
  SELECT 1 FROM json_each(?2) AS alternative WHERE NOT EXISTS (
    SELECT 1 FROM json_each(alternative.value) AS bound
    WHERE CAST(bound.value ->> 0 AS NUMERIC) + CAST(bound.value ->> 1 AS NUMERIC) * yes + CAST(bound.value ->> 2 AS NUMERIC) * no
      + CAST(bound.value ->> 3 AS NUMERIC) * abstain + CAST(bound.value ->> 4 AS NUMERIC) * no_with_veto < 0))`;

function voteOf(row: VoteRow): Vote {
  return {
    proposalId: row.proposal_id,
    voter: row.voter,
    option: row.option,
    power: row.power,
    rationale: row.rationale,
    castAt: row.cast_at,
  };
}
