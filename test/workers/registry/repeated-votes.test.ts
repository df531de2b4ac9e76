/** Votes that are sent again, with and without an Idempotency-Key: docs/decisions/005-registry.md, "Votes". */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import {
  createRegistryFixture,
  interrupted,
  type RegistryFixture,
  type Option,
} from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const yes: Option = "yes";
const no: Option = "no";
const times = (count: number, option: Option): Option[] => Array.from({ length: count }, () => option);

describe("a vote", () => {
  test("with an Idempotency-Key gets its response replayed, a first vote and a replacement [RG-73]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const path = `/v1/proposals/${await fixture.propose(await fixture.domain())}/votes`;
    const send = (option: Option) =>
      fixture.ask("POST", path, {
        key: fixture.voters[0] ?? "",
        body: { option },
        headers: { "Idempotency-Key": option },
      });
    for (const [option, status] of [[yes, 201] as const, [no, 200] as const]) {
      const [first, again] = [await send(option), await send(option)];
      expect([first.status, again.status]).toEqual([status, status]);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    }
  });

  const keyed = (fixture: RegistryFixture, proposalId: string, option: Option, key: string, voter = 0) =>
    fixture.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: fixture.voters[voter] ?? "",
      body: { option },
      headers: { "Idempotency-Key": key },
    });

  test("sent twice concurrently under one Idempotency-Key gets one response", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 9]);
    for (let round = 0; round < 10; round += 1) {
      const proposalId = await fixture.propose(await fixture.domain());
      const answers = await Promise.all(times(4, yes).map((option) => keyed(fixture, proposalId, option, "k")));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }
  });

  test("that is cast by a concurrent request meanwhile gets the first one's response", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 9]);
    const proposalId = await fixture.propose(await fixture.domain());
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => keyed(fixture, proposalId, yes, "k")) });
    const second = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: fixture.voters[0] ?? "",
      body: { option: yes },
      headers: { "Idempotency-Key": "k" },
    });
    expect([second.status, second.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
  });

  test("that was already cast is stored under its key too: no retry reverts a later vote [RG-104]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const proposalId = await fixture.propose(await fixture.domain());
    expect((await keyed(fixture, proposalId, yes, "k1")).status).toBe(201);
    const standing = await keyed(fixture, proposalId, yes, "k2");
    expect(standing.status).toBe(200);
    expect((await keyed(fixture, proposalId, no, "k3")).status).toBe(200);
    const retried = await keyed(fixture, proposalId, yes, "k2");
    expect([retried.status, retried.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    expect(retried.body).toEqual(standing.body);
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 0, no: 1 });
  });

  test("that was already cast is not reported if another replaces it meanwhile", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const proposalId = await fixture.propose(await fixture.domain());
    await fixture.vote(proposalId, 0, yes);
    const edge = fixture.withSettings({ DATABASE: interrupted(DATABASE, () => fixture.vote(proposalId, 0, no)) });
    const again = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: fixture.voters[0] ?? "",
      body: { option: yes },
    });
    // It then counts as a new vote, and as the last one.
    expect(again).toMatchObject({ status: 200, body: { option: yes } });
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 1, no: 0 });
  });

  test("repeated after the end is a replay under its key, and otherwise too late [RG-104]", async () => {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const proposalId = await fixture.propose(await fixture.domain());
    const first = await keyed(fixture, proposalId, yes, "k");
    expect(first.status).toBe(201);
    const replayed = await keyed(fixture, proposalId, yes, "k");
    expect([replayed.status, replayed.body]).toEqual([201, first.body]);
    expect(refusal(await fixture.vote(proposalId, 0, yes))).toEqual([409, "proposal_closed"]);
    expect(refusal(await keyed(fixture, proposalId, yes, "other"))).toEqual([409, "proposal_closed"]);
  });
});
