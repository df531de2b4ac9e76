/** Votes over their routes. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createRegistryFixture, type Option } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const PERIOD = 72 * 3_600_000;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const yes: Option = "yes";
const no: Option = "no";
const abstain: Option = "abstain";
const veto: Option = "no_with_veto";
const times = (count: number, option: Option): Option[] => Array.from({ length: count }, () => option);
const equal = (count: number) => Array.from({ length: count }, () => 1);

interface Vector {
  readonly name: string;
  readonly weights: readonly number[];
  readonly votes: readonly Option[];
  /** The state after each vote is open, except after the last. */
  readonly during: string;
  /** The state at the end, if it is still open then. */
  readonly end?: string;
  readonly env?: object;
}

const vectors: readonly Vector[] = [
  { name: "T1 none", weights: equal(10), votes: [], during: "open", end: "expired quorum_not_met" },
  { name: "T1", weights: equal(10), votes: times(3, yes), during: "open", end: "expired quorum_not_met" },
  { name: "T2", weights: equal(10), votes: times(4, yes), during: "open", end: "passed approved" },
  { name: "T3", weights: equal(10), votes: times(6, yes), during: "open", end: "passed approved" },
  { name: "T3 early", weights: equal(10), votes: times(7, yes), during: "passed approved" },
  { name: "T4", weights: equal(10), votes: [yes, yes, no, no], during: "open", end: "rejected threshold_not_met" },
  { name: "T5", weights: equal(10), votes: times(4, abstain), during: "open", end: "rejected all_abstained" },
  { name: "T6", weights: equal(10), votes: [yes, abstain, abstain, abstain], during: "open", end: "passed approved" },
  { name: "T7", weights: equal(10), votes: [yes, yes, yes, veto], during: "open", end: "passed approved" },
  { name: "T7 vetoed", weights: equal(10), votes: [yes, yes, yes, veto, veto], during: "open", end: "rejected vetoed" },
  { name: "T8", weights: equal(10), votes: times(4, no), during: "open", end: "rejected threshold_not_met" },
  { name: "T8 early", weights: equal(10), votes: times(5, no), during: "rejected threshold_not_met" },
  { name: "T9", weights: equal(10), votes: times(3, veto), during: "open", end: "expired quorum_not_met" },
  { name: "T9 early", weights: equal(10), votes: times(4, veto), during: "rejected vetoed" },
  { name: "T10", weights: [5, 5], votes: [yes, abstain], during: "passed approved" },
  { name: "T10 one", weights: [1, 9], votes: [yes, abstain], during: "passed approved" },
  { name: "T11", weights: [166, 1, 333], votes: [yes], during: "open", end: "expired quorum_not_met" },
  { name: "T11 met", weights: [166, 1, 333], votes: [yes, yes], during: "open", end: "passed approved" },
  { name: "T12", weights: [167, 332, 1], votes: [veto, yes, yes], during: "passed approved" },
  { name: "T12 vetoed", weights: [332, 167, 1], votes: [yes, veto, veto], during: "rejected vetoed" },
  { name: "T13", weights: [60, 30, 10], votes: [yes], during: "open", end: "passed approved" },
  { name: "T13 early", weights: [60, 10, 30], votes: [yes, yes], during: "passed approved" },
  { name: "T14", weights: [1], votes: [yes], during: "passed approved" },
  { name: "T14 abstained", weights: [1], votes: [abstain], during: "rejected all_abstained" },
  { name: "T15", weights: equal(3), votes: [yes, yes], during: "passed approved" },
  { name: "T15 later", weights: equal(3), votes: [yes, no, yes], during: "passed approved" },
  {
    name: "T16",
    weights: equal(3),
    votes: [yes, yes, no],
    during: "rejected threshold_not_met",
    env: { REGISTRY_THRESHOLD_BP: "10000" },
  },
];

describe("the vectors [RG-106, RG-107]", () => {
  test.each(vectors)("$name", async ({ weights, votes, during, end, env: more = {} }) => {
    const fixture = await createRegistryFixture(DATABASE, weights, more);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const state = async () => {
      const proposal = await fixture.read(`/v1/proposals/${proposalId}`);
      return [proposal.state, proposal.outcomeReason].filter((word) => word !== null).join(" ");
    };
    for (const [voter, option] of votes.entries()) {
      expect(await state()).toBe("open");
      fixture.edge.clock.now += 1_000;
      expect((await fixture.vote(proposalId, voter, option)).status).toBe(201);
    }
    expect(await state()).toBe(during);
    const decidedAt = end === undefined ? fixture.edge.clock.now : Date.parse("2026-11-24T09:00:00Z");
    fixture.edge.clock.now = Date.parse("2026-11-24T09:00:00Z");
    expect(await state()).toBe(end ?? during);
    const proposal = await fixture.read(`/v1/proposals/${proposalId}`);
    expect(Date.parse(proposal.decidedAt)).toBe(decidedAt);
    expect(proposal.decidedEarly).toBe(end === undefined);
    const { verificationStatus, verifiedAt } = await fixture.read(`/v1/domains/${domainId}`);
    const isVerified = proposal.state === "passed";
    expect(verificationStatus === "Verified").toBe(isVerified);
    expect(verifiedAt).toBe(isVerified ? proposal.decidedAt : null);
  });

  test("T17: ten thousand voters of the greatest weight", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1_000_000, 1_000_000]);
    await DATABASE.prepare(
      `INSERT INTO voters (did, weight, added_at, updated_at)
       WITH RECURSIVE count (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM count WHERE at < 9998)
       SELECT 'did:web:crowd.test:' || at, 1000000, 0, 0 FROM count`,
    ).run();
    const proposalId = await fixture.propose(await fixture.domain());
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).totalPower).toBe(1e10);
    await DATABASE.prepare(
      `INSERT INTO votes (proposal_id, voter, option, power, cast_at)
       SELECT ?1, did, 'yes', weight, 0 FROM proposal_electors WHERE proposal_id = ?1 AND did LIKE '%crowd%' LIMIT 6658`,
    )
      .bind(proposalId)
      .run();
    expect((await fixture.vote(proposalId, 0)).status).toBe(201);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "open", tally: { yes: 6_659e6 } });
    expect((await fixture.vote(proposalId, 1)).status).toBe(201);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "passed",
      tally: { yes: 6_660e6 },
    });
  });

  test("T19: with revotes the last vote counts, and nothing is decided before the end [RG-104, RG-107]", async () => {
    const fixture = await createRegistryFixture(DATABASE, equal(10), { REGISTRY_ALLOW_REVOTE: "true" });
    const proposalId = await fixture.propose(await fixture.domain());
    for (const voter of equal(7).keys()) expect((await fixture.vote(proposalId, voter)).status).toBe(201);
    fixture.edge.clock.now += 1_000;
    for (const voter of [0, 1]) {
      const turned = await fixture.vote(proposalId, voter, no, { rationale: "New evidence" });
      expect(turned).toMatchObject({ status: 200, body: { option: no, castAt: "2026-11-21T09:00:01Z" } });
    }
    expect((await fixture.vote(proposalId, 2)).body.castAt).toBe("2026-11-21T09:00:00Z");
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "open",
      tally: { yes: 5, no: 2 },
    });
    fixture.edge.clock.now += PERIOD;
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "passed", decidedEarly: false });
    expect(refusal(await fixture.vote(proposalId, 0, yes))).toEqual([409, "voting_closed"]);
  });

  test("T20: the last millisecond counts, the closing instant does not, before and after the cron [RG-103]", async () => {
    const fixture = await createRegistryFixture(DATABASE, equal(10));
    const proposalId = await fixture.propose(await fixture.domain());
    fixture.edge.clock.now += PERIOD - 1;
    expect((await fixture.vote(proposalId, 0)).status).toBe(201);
    fixture.edge.clock.now += 1;
    expect(refusal(await fixture.vote(proposalId, 1))).toEqual([409, "voting_closed"]);
    await fixture.finalise();
    expect(refusal(await fixture.vote(proposalId, 1))).toEqual([409, "voting_closed"]);
    expect(refusal(await fixture.vote(proposalId, 0))).toEqual([409, "voting_closed"]);
  });
});

describe("a vote", () => {
  test("is one per DID, with any key; repeating it changes nothing, a different one is refused [RG-102, RG-104]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [4, 6, 10]);
    const proposalId = await fixture.propose(await fixture.domain());
    const first = await fixture.vote(proposalId, 0, yes, { rationale: "Complete" });
    expect(first).toMatchObject({
      status: 201,
      body: {
        proposalId,
        voter: fixture.voterDids[0],
        option: yes,
        power: 4,
        rationale: "Complete",
        castAt: "2026-11-21T09:00:00Z",
      },
    });
    fixture.edge.clock.now += 5_000;
    const second = await fixture.edge.keyOf(String(fixture.voterDids[0]), ["verification:vote", "domains:read"]);
    const path = `/v1/proposals/${proposalId}/votes`;
    const again = await fixture.ask("POST", path, { key: second, body: { option: yes, rationale: "Other words" } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(refusal(await fixture.ask("POST", path, { key: second, body: { option: no } }))).toEqual([
      409,
      "already_voted",
    ]);
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 4, cast: 4 });
    const own = await fixture.ask("GET", `${path}/me`, { key: second });
    expect(own.body).toEqual(first.body);
    expect(refusal(await fixture.ask("GET", `${path}/me`, { key: fixture.proposer }))).toEqual([404, "not_found"]);
  });

  test("counts with the power that the voter had when the proposal was made [RG-101]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [2, 3, 5]);
    const proposalId = await fixture.propose(await fixture.domain());
    const put = async (did: string, weight: number, headers = {}) => {
      const { status } = await fixture.ask("PUT", `/v1/voters/${did}`, {
        key: fixture.admin,
        body: { weight },
        headers,
      });
      expect(status).toBeLessThan(300);
    };
    await fixture.ask("DELETE", `/v1/voters/${fixture.voterDids[0]}`, { key: fixture.admin });
    await put(String(fixture.voterDids[1]), 900, { "If-Match": "*" });
    await put(fixture.controllerDid, 900);
    expect((await fixture.vote(proposalId, 0)).body).toMatchObject({ power: 2 });
    expect((await fixture.vote(proposalId, 1)).body).toMatchObject({ power: 3 });
    const path = `/v1/proposals/${proposalId}/votes`;
    const late = await fixture.ask("POST", path, { key: fixture.controller, body: { option: no } });
    expect(refusal(late)).toEqual([403, "not_in_electorate"]);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ totalPower: 10, tally: { yes: 5 } });
  });

  test("returns a DID's power and vote on the named proposals [RG-158]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [2, 3]);
    const [one, other] = [await fixture.propose(await fixture.domain()), await fixture.propose(await fixture.domain())];
    const cast = await fixture.vote(one, 1, yes, { rationale: "Complete" });
    const path = `/v1/votes/me?proposal=${one}&proposal=${other}&proposal=${one}&proposal=prp_none`;
    const asked = await fixture.ask("GET", path, { key: String(fixture.voters[1]) });
    const expected = [
      { proposalId: one, power: 3, vote: cast.body },
      { proposalId: other, power: 3, vote: null },
    ].toSorted((a, b) => (a.proposalId < b.proposalId ? -1 : 1));
    expect(asked.body).toEqual({ data: expected, page: { limit: 50, hasMore: false, nextCursor: null } });
    // Later changes of the roll do not affect an electorate.
    await fixture.ask("DELETE", `/v1/voters/${fixture.voterDids[1]}`, { key: fixture.admin });
    expect((await fixture.ask("GET", path, { key: String(fixture.voters[1]) })).body.data).toEqual(expected);
    expect((await fixture.ask("GET", path, { key: fixture.proposer })).body.data).toEqual([]);
    const many = (count: number) => `/v1/votes/me?${Array.from({ length: count }, () => `proposal=${one}`).join("&")}`;
    expect((await fixture.ask("GET", many(50), { key: fixture.proposer })).status).toBe(200);
    expect(refusal(await fixture.ask("GET", many(51), { key: fixture.proposer }))).toEqual([400, "validation_failed"]);
    expect(refusal(await fixture.ask("GET", "/v1/votes/me", { key: fixture.proposer }))).toEqual([
      400,
      "validation_failed",
    ]);
  });

  test("requires the scope, which admins lack, a proposal and a valid body [RG-18, RG-102]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1]);
    const path = `/v1/proposals/${await fixture.propose(await fixture.domain())}/votes`;
    const [key] = fixture.voters;
    const post = (body: unknown, by = key) => fixture.ask("POST", path, { key: by ?? "", body });
    expect(refusal(await post({ option: yes }, fixture.admin))).toEqual([403, "insufficient_scope"]);
    expect(refusal(await post({ option: "maybe" }))).toEqual([400, "validation_failed"]);
    expect(refusal(await post({}))).toEqual([400, "validation_failed"]);
    expect(refusal(await post("[]"))).toEqual([400, "validation_failed"]);
    expect(refusal(await post("{"))).toEqual([400, "malformed_json"]);
    expect((await post({ option: yes, rationale: "x".repeat(1_001) })).body.errors).toMatchObject([
      { pointer: "/rationale", code: "length" },
    ]);
    expect((await post({ option: yes, rationale: "x".repeat(1_000) })).status).toBe(201);
    const none = await fixture.ask("POST", "/v1/proposals/prp_none/votes", { key: key ?? "", body: { option: yes } });
    expect(refusal(none)).toEqual([404, "not_found"]);
  });

  test("is shown to every reader, page by page in the order of casting [RG-105]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 1, 1, 1, 1, 100]);
    const path = `/v1/proposals/${await fixture.propose(await fixture.domain())}/votes`;
    const proposalId = path.split("/")[3] ?? "";
    for (const voter of [3, 0, 4, 1, 2]) {
      await fixture.vote(proposalId, voter, voter % 2 === 0 ? yes : no, { rationale: `because ${voter}` });
      fixture.edge.clock.now += voter === 0 ? 0 : 1_000;
    }
    const walked: string[] = [];
    for (let cursor = ""; ;) {
      const { data, page } = await fixture.read(`${path}?limit=2${cursor}`);
      walked.push(...data.map(({ rationale }: { rationale: string }) => rationale.slice(-1)));
      if (!page.hasMore) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(walked).toEqual(["3", "0", "4", "1", "2"]);
    expect(refusal(await fixture.ask("GET", `${path}?cursor=xyz`, { key: fixture.proposer }))).toEqual([
      400,
      "invalid_cursor",
    ]);
    const unknown = await fixture.ask("GET", "/v1/proposals/prp_none/votes", { key: fixture.proposer });
    expect(refusal(unknown)).toEqual([404, "not_found"]);
  });
});
