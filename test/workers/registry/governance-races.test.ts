/** Concurrent governance: natural races, and arranged ones. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { finaliseDue } from "../../../workers/registry/commands/finalise-due.ts";
import {
  createRegistryFixture,
  decidedButNotExecuted,
  interrupted,
  type RegistryFixture,
  type Option,
} from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const PERIOD = 72 * 3_600_000;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const equal = (count: number) => Array.from({ length: count }, () => 1);
const tallied = (answers: readonly { status: number }[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const vote = (
  fixture: RegistryFixture,
  edge: RegistryFixture["edge"],
  proposalId: string,
  voter: number,
  option: Option = "yes",
) => edge.ask("POST", `/v1/proposals/${proposalId}/votes`, { key: fixture.voters[voter] ?? "", body: { option } });

const halfway = (fixture: RegistryFixture, proposalId: string) => () => decidedButNotExecuted(fixture, proposalId);

test("of twenty concurrent proposals on one domain one is created [RG-91]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  const body = { title: "t", package: {} };
  const path = `/v1/domains/${domainId}/proposals`;
  const answers = await Promise.all(equal(20).map(() => fixture.ask("POST", path, { key: fixture.proposer, body })));
  expect(tallied(answers)).toEqual({ 201: 1, 409: 19 });
  expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
    new Set(["proposal_open"]),
  );
  expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened"]);
  const electors =
    "SELECT COUNT(*) AS count FROM proposal_electors WHERE proposal_id NOT IN (SELECT id FROM proposals)";
  expect(await DATABASE.prepare(electors).first("count")).toBe(0);
});

test("one voter's twenty equal votes over two keys are one [RG-102, RG-104]", async () => {
  const fixture = await createRegistryFixture(DATABASE, [5, 6]);
  const proposalId = await fixture.propose(await fixture.domain());
  const second = await fixture.edge.keyOf(String(fixture.voterDids[0]), ["verification:vote"]);
  const path = `/v1/proposals/${proposalId}/votes`;
  const answers = await Promise.all(
    equal(20).map((_, at) =>
      fixture.ask("POST", path, { key: at % 2 === 0 ? second : (fixture.voters[0] ?? ""), body: { option: "yes" } }),
    ),
  );
  expect(tallied(answers)).toEqual({ 200: 19, 201: 1 });
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect((await fixture.read(path)).data.length).toBe(1);
  expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 5, cast: 5 });
});

test("of a voter's contradicting concurrent votes one counts, and it stays", async () => {
  const fixture = await createRegistryFixture(DATABASE, [5, 6]);
  const proposalId = await fixture.propose(await fixture.domain());
  const answers = await Promise.all(equal(10).map((_, at) => fixture.vote(proposalId, 0, at % 2 === 0 ? "yes" : "no")));
  expect(tallied(answers)).toEqual({ 200: 4, 201: 1, 409: 5 });
  expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally.cast).toBe(5);
});

test("a hundred concurrent voters decide once, and the tally equals the accepted votes [RG-110]", async () => {
  const fixture = await createRegistryFixture(DATABASE, equal(100));
  const domainId = await fixture.domain();
  const proposalId = await fixture.propose(domainId);
  const answers = await Promise.all(fixture.voters.map((_, voter) => fixture.vote(proposalId, voter)));
  const accepted = answers.filter(({ status }) => status === 201).length;
  // 66 of 100 leave 34 that could veto; the 67th decides.
  expect(tallied(answers)).toEqual({ 201: 67, 409: 33 });
  expect(new Set(answers.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
    new Set(["proposal_closed"]),
  );
  expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
    state: "passed",
    decidedEarly: true,
    tally: { yes: accepted, cast: accepted },
  });
  expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
});

/** Closes proposals that earlier tests left open, so that a run counts only this test's proposals. */
const closeAll = async () => finaliseDue(DATABASE, Date.parse("2099-01-01T00:00:00Z"));

test("two cron runs, readers and voters at the end of the voting finalise once [RG-108]", async () => {
  await closeAll();
  const fixture = await createRegistryFixture(DATABASE, equal(10));
  const domainId = await fixture.domain();
  const proposalId = await fixture.propose(domainId);
  for (const voter of [0, 1, 2, 3]) await fixture.vote(proposalId, voter);
  fixture.edge.clock.now += PERIOD;
  const { now } = fixture.edge.clock;
  const read = () => fixture.read(`/v1/domains/${domainId}`);
  const [first, second, ...rest] = await Promise.all([
    finaliseDue(DATABASE, now),
    finaliseDue(DATABASE, now),
    ...equal(8).map(read),
    fixture.vote(proposalId, 5),
  ]);
  const seen = rest.slice(0, 8).map((domain) => JSON.stringify(domain));
  expect(new Set(seen)).toEqual(new Set([JSON.stringify(await read())]));
  expect(refusal(rest[8] as Parameters<typeof refusal>[0])).toEqual([409, "voting_closed"]);
  // A reader may have been first, because it stores what it returns.
  expect(first.finalised + second.finalised).toBeLessThanOrEqual(1);
  expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
});

test("a cron run that is overtaken between reading and writing changes nothing", async () => {
  await closeAll();
  const fixture = await createRegistryFixture(DATABASE, [1]);
  const domainId = await fixture.domain();
  await fixture.propose(domainId);
  const now = fixture.edge.clock.now + PERIOD;
  const late = await finaliseDue(
    interrupted(DATABASE, () => finaliseDue(DATABASE, now)),
    now,
  );
  expect(late).toEqual({ finalised: 0, conflicts: 1 });
  expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "proposal-expired"]);
});

describe("a material change and the deciding vote [RG-98]", () => {
  const other = "did:ixo:protocol/other";
  const patch = (
    fixture: RegistryFixture,
    edge: RegistryFixture["edge"],
    domainId: string,
    version: number,
    body: object = { class: other },
  ) =>
    edge.ask("PATCH", `/v1/domains/${domainId}`, {
      key: fixture.controller,
      headers: { "If-Match": `"v${version}"` },
      body,
    });

  test("the vote first: the change gets a conflict, and with the new tag ends the verification", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    const late = await patch(fixture, edge, domainId, 2);
    expect([...refusal(late), late.headers.get("ETag")]).toEqual([412, "version_mismatch", '"v3"']);
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({ verificationStatus: "Verified", version: 3 });
    const again = await patch(fixture, fixture.edge, domainId, 3);
    expect(again.body).toMatchObject({ class: other, verificationStatus: "AwaitingVerification", version: 4 });
  });

  test("the vote is stored but not executed: a change is still refused, material or not", async () => {
    const late = [412, "version_mismatch"];
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    expect(refusal(await patch(fixture, beside(halfway(fixture, proposalId)), domainId, 2))).toEqual(late);
    const seen = await fixture.read(`/v1/domains/${domainId}`);
    expect(seen).toMatchObject({ verificationStatus: "Verified", version: 3 });

    const second = await fixture.domain();
    const open = await fixture.propose(second);
    const immaterial = { metadata: { name: "New" } };
    expect(refusal(await patch(fixture, beside(halfway(fixture, open)), second, 2, immaterial))).toEqual(late);
    expect(await fixture.read(`/v1/domains/${second}`)).toMatchObject({ verificationStatus: "Verified", version: 3 });

    function beside(meanwhile: () => Promise<unknown>) {
      return fixture.withSettings({ DATABASE: interrupted(DATABASE, meanwhile) });
    }
  });

  test("L6, the change first: the proposal is superseded, and the vote comes too late", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const body = { controllers: [fixture.controllerDid, "did:web:partner.test"] };
    const edge = fixture.withSettings({
      DATABASE: interrupted(DATABASE, () => patch(fixture, fixture.edge, domainId, 2, body)),
    });
    expect(refusal(await vote(fixture, edge, proposalId, 0))).toEqual([409, "proposal_closed"]);
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({
      state: "superseded",
      outcomeReason: "material_change",
      tally: { cast: 0 },
    });
    expect(await fixture.read(`/v1/domains/${domainId}`)).toMatchObject({
      verificationStatus: "AwaitingVerification",
      openProposalId: null,
      version: 3,
    });
  });

  test("a vote that does not decide does not block a change, and is in the tally of its proposal", async () => {
    const fixture = await createRegistryFixture(DATABASE, equal(10));
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    expect((await patch(fixture, edge, domainId, 2)).body).toMatchObject({ class: other, version: 3 });
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "superseded", tally: { yes: 1 } });
  });

  test("concurrently, twenty times over: never verified with the new class", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    for (let round = 0; round < 20; round += 1) {
      const domainId = await fixture.domain();
      const proposalId = await fixture.propose(domainId);
      const race = [() => patch(fixture, fixture.edge, domainId, 2), () => fixture.vote(proposalId, 0)];
      const ordered = round % 2 === 0 ? race : race.toReversed();
      const answers = await Promise.all(ordered.map((start) => start()));
      const [patched, voted] = round % 2 === 0 ? answers : answers.toReversed();
      const domain = await fixture.read(`/v1/domains/${domainId}`);
      const outcome = [patched?.status, voted?.status, domain.verificationStatus, domain.class === other];
      expect([
        [412, 201, "Verified", false],
        [200, 409, "AwaitingVerification", true],
      ]).toContainEqual(outcome);
    }
  });
});

describe("a change that leaves the proposal open", () => {
  test("does not come between a deciding vote and its execution [RG-109]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    const named = await edge.ask("PATCH", `/v1/domains/${domainId}`, {
      key: fixture.controller,
      headers: { "If-Match": "*" },
      body: { metadata: { name: "New" } },
    });
    expect(named.body).toMatchObject({ name: "New", verificationStatus: "Verified", version: 4 });
    expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified", "updated"]);
  });

  test("a withdrawal does not overtake a deciding vote, nor a vote a withdrawal", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const withdraw = (edge: RegistryFixture["edge"], id: string) =>
      edge.ask("POST", `/v1/proposals/${id}/withdraw`, { key: fixture.proposer });
    const decided = await fixture.propose(await fixture.domain());
    const afterVote = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(decided, 0)) });
    expect(refusal(await withdraw(afterVote, decided))).toEqual([409, "proposal_closed"]);
    const taken = await fixture.propose(await fixture.domain());
    const afterWithdrawal = fixture.withSettings({
      DATABASE: interrupted(DATABASE, () => withdraw(fixture.edge, taken)),
    });
    expect(refusal(await vote(fixture, afterWithdrawal, taken, 0))).toEqual([409, "proposal_closed"]);
  });

  test("a withdrawal reports the votes that arrived during it", async () => {
    const fixture = await createRegistryFixture(DATABASE, equal(10));
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0)) });
    const withdrawn = await edge.ask("POST", `/v1/proposals/${proposalId}/withdraw`, { key: fixture.proposer });
    expect(withdrawn).toMatchObject({ status: 200, body: { tally: { yes: 1, cast: 1 } } });
    const { data } = await fixture.read(`/v1/domains/${domainId}/history?limit=1`);
    expect(data[0].reason).toBe("yes 1, no 0, abstain 0, no with veto 0, of 10");
  });

  test("a vote with a slow clock is not lost to a finalisation that has not seen it", async () => {
    await closeAll();
    const fixture = await createRegistryFixture(DATABASE, equal(10));
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    for (const voter of [0, 1, 2]) await fixture.vote(proposalId, voter);
    const behind = fixture.withSettings({});
    behind.clock.now = fixture.edge.clock.now + PERIOD - 1;
    fixture.edge.clock.now += PERIOD;
    const { now } = fixture.edge.clock;
    const run = await finaliseDue(
      interrupted(DATABASE, () => vote(fixture, behind, proposalId, 3)),
      now,
    );
    expect(run).toEqual({ finalised: 0, conflicts: 1 });
    expect(await finaliseDue(DATABASE, now)).toEqual({ finalised: 1, conflicts: 0 });
    expect(await fixture.read(`/v1/proposals/${proposalId}`)).toMatchObject({ state: "passed", tally: { yes: 4 } });
    expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  });

  test("an electorate that changes while a proposal is created is read again [RG-101]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 2]);
    const domainId = await fixture.domain();
    const remove = () => DATABASE.prepare("DELETE FROM voters WHERE did = ?").bind(fixture.voterDids[0]).run();
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, remove) });
    const body = { title: "t", package: {} };
    const made = await edge.ask("POST", `/v1/domains/${domainId}/proposals`, { key: fixture.proposer, body });
    expect(made).toMatchObject({ status: 201, body: { totalPower: 2 } });
    expect(refusal(await fixture.vote(made.body.id, 0))).toEqual([403, "not_in_electorate"]);
  });
});
