/** Votes that are sent again, with and without an Idempotency-Key: docs/decisions/005-registry.md, "Votes". */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createCourt, interrupted, type Court, type Option } from "../../support/registry-court.ts";

const { DATABASE } = env;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const yes: Option = "yes";
const no: Option = "no";
const times = (count: number, option: Option): Option[] => Array.from({ length: count }, () => option);

describe("a vote", () => {
  test("with an Idempotency-Key is answered again as it was, a first one and one that replaces it", async () => {
    const court = await createCourt(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const path = `/v1/proposals/${await court.propose(await court.domain())}/votes`;
    const send = (option: Option) =>
      court.ask("POST", path, {
        key: court.voters[0] ?? "",
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

  const keyed = (court: Court, proposalId: string, option: Option, key: string, voter = 0) =>
    court.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: court.voters[voter] ?? "",
      body: { option },
      headers: { "Idempotency-Key": key },
    });

  test("sent twice at once under one Idempotency-Key has one answer", async () => {
    const court = await createCourt(DATABASE, [1, 9]);
    for (let round = 0; round < 10; round += 1) {
      const proposalId = await court.propose(await court.domain());
      const answers = await Promise.all(times(4, yes).map((option) => keyed(court, proposalId, option, "k")));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    }
  });

  test("that finds itself cast while it is under way has the first one's answer", async () => {
    const court = await createCourt(DATABASE, [1, 9]);
    const proposalId = await court.propose(await court.domain());
    const edge = court.beside({ DATABASE: interrupted(DATABASE, () => keyed(court, proposalId, yes, "k")) });
    const second = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: court.voters[0] ?? "",
      body: { option: yes },
      headers: { "Idempotency-Key": "k" },
    });
    expect([second.status, second.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
  });

  test("that stood already is kept under its key too: no retry flips a later vote", async () => {
    const court = await createCourt(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const proposalId = await court.propose(await court.domain());
    expect((await keyed(court, proposalId, yes, "k1")).status).toBe(201);
    const standing = await keyed(court, proposalId, yes, "k2");
    expect(standing.status).toBe(200);
    expect((await keyed(court, proposalId, no, "k3")).status).toBe(200);
    const retried = await keyed(court, proposalId, yes, "k2");
    expect([retried.status, retried.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    expect(retried.body).toEqual(standing.body);
    expect((await court.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 0, no: 1 });
  });

  test("that stood already is not told of when another replaces it meanwhile", async () => {
    const court = await createCourt(DATABASE, [1, 9], { REGISTRY_ALLOW_REVOTE: "true" });
    const proposalId = await court.propose(await court.domain());
    await court.vote(proposalId, 0, yes);
    const edge = court.beside({ DATABASE: interrupted(DATABASE, () => court.vote(proposalId, 0, no)) });
    const again = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key: court.voters[0] ?? "",
      body: { option: yes },
    });
    // It is a vote of its own then, and the last one.
    expect(again).toMatchObject({ status: 200, body: { option: yes } });
    expect((await court.read(`/v1/proposals/${proposalId}`)).tally).toMatchObject({ yes: 1, no: 0 });
  });

  test("repeated after the end is a replay under its key, and else too late", async () => {
    const court = await createCourt(DATABASE, [1]);
    const proposalId = await court.propose(await court.domain());
    const first = await keyed(court, proposalId, yes, "k");
    expect(first.status).toBe(201);
    const replayed = await keyed(court, proposalId, yes, "k");
    expect([replayed.status, replayed.body]).toEqual([201, first.body]);
    expect(refusal(await court.vote(proposalId, 0, yes))).toEqual([409, "proposal_closed"]);
    expect(refusal(await keyed(court, proposalId, yes, "other"))).toEqual([409, "proposal_closed"]);
  });
});
