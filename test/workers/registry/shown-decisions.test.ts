/** What was shown as decided stays so, whatever other edges' clocks say: docs/decisions/005-registry.md, "Votes". */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { finaliseDue } from "../../../workers/registry/commands/finalise-due.ts";
import { createCourt, interrupted, type Court } from "../../support/registry-court.ts";

const { DATABASE } = env;
const PERIOD = 72 * 3_600_000;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const equal = (count: number) => Array.from({ length: count }, () => 1);

describe("two edges whose clocks differ, at the end of a vote", () => {
  /** Passed at the end: one edge is past it, the other a millisecond before. */
  async function atTheEnd() {
    const court = await createCourt(DATABASE, equal(10));
    const domainId = await court.domain();
    const proposalId = await court.propose(domainId);
    for (const voter of [0, 1, 2, 3]) await court.vote(proposalId, voter);
    const startedAt = court.edge.clock.now;
    court.edge.clock.now += PERIOD;
    const shown: unknown[] = [];
    const show = async () => {
      shown.push(await court.read(`/v1/domains/${domainId}`));
    };
    const behind = court.beside({ DATABASE: interrupted(DATABASE, show) });
    behind.clock.now = startedAt + PERIOD - 1;
    return { court, domainId, proposalId, behind, shown };
  }

  test("a change begun before the end does not undo what was shown as verified", async () => {
    const { court, domainId, proposalId, behind, shown } = await atTheEnd();
    const late = await behind.ask("PATCH", `/v1/domains/${domainId}`, {
      key: court.controller,
      headers: { "If-Match": '"v2"' },
      body: { metadata: { name: "Other" } },
    });
    expect(shown).toMatchObject([{ verificationStatus: "Verified", version: 3 }]);
    expect(refusal(late)).toEqual([412, "version_mismatch"]);
    expect([await court.read(`/v1/domains/${domainId}`)]).toEqual(shown);
    expect((await court.read(`/v1/proposals/${proposalId}`)).state).toBe("passed");
  });

  test("nor does a vote, a withdrawal or the end of the domain", async () => {
    const vote = await atTheEnd();
    const voted = await vote.behind.ask("POST", `/v1/proposals/${vote.proposalId}/votes`, {
      key: vote.court.voters[4] ?? "",
      body: { option: "no_with_veto" },
    });
    expect(refusal(voted)).toEqual([409, "voting_closed"]);
    expect([await vote.court.read(`/v1/domains/${vote.domainId}`)]).toEqual(vote.shown);

    const withdrawal = await atTheEnd();
    const path = `/v1/proposals/${withdrawal.proposalId}/withdraw`;
    const withdrawn = await withdrawal.behind.ask("POST", path, { key: withdrawal.court.proposer });
    expect(refusal(withdrawn)).toEqual([409, "proposal_closed"]);
    expect([await withdrawal.court.read(`/v1/domains/${withdrawal.domainId}`)]).toEqual(withdrawal.shown);

    const end = await atTheEnd();
    const deleted = await end.behind.ask("DELETE", `/v1/domains/${end.domainId}`, {
      key: end.court.controller,
      headers: { "If-Match": '"v2"' },
    });
    expect(refusal(deleted)).toEqual([412, "version_mismatch"]);
    expect((await end.court.read(`/v1/proposals/${end.proposalId}`)).state).toBe("passed");
  });

  test.each([
    ["the proposal", (court: Court, _: string, id: string) => court.read(`/v1/proposals/${id}`)],
    ["the card", (court: Court, id: string) => court.read(`/v1/domains/${id}/card`)],
    ["eligibility", (court: Court, id: string) => court.read(`/v1/domains/${id}/eligibility`)],
    ["the history", (court: Court, id: string) => court.read(`/v1/domains/${id}/history`)],
    ["the composite", (court: Court, id: string) => court.read(`/v1/domains/${id}/composite`)],
    ["resolution", (court: Court, id: string) => court.read(`/1.0/identifiers/${id}`)],
    [
      "GraphQL",
      (court: Court, id: string) =>
        court.ask("POST", "/graphql", { body: { query: `{ entity(id: "${id}") { entityVerified } }` } }),
    ],
  ])("whatever shows it has stored it: %s", async (_name, show) => {
    const { court, domainId, proposalId } = await atTheEnd();
    await show(court, domainId, proposalId);
    const state = "SELECT state FROM proposals WHERE id = ?";
    expect(await DATABASE.prepare(state).bind(proposalId).first("state")).toBe("passed");
    expect(await court.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  });

  test("many readers at once store it once, and all see the same", async () => {
    const { court, domainId } = await atTheEnd();
    const shown = await Promise.all(equal(20).map(() => court.read(`/v1/domains/${domainId}`)));
    expect(new Set(shown.map((domain) => JSON.stringify(domain))).size).toBe(1);
    expect(await court.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  });
});

describe("a page of history has each entry once", () => {
  /** The database, but ahead of the first statement whose text matches somebody else is at work. */
  function beforeStatement(wanted: RegExp, meanwhile: () => Promise<unknown>): D1Database {
    let isDone = false;
    const held = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get(target, name) {
          if (name === "bind") return (...values: unknown[]) => held(target.bind(...values));
          const member: unknown = Reflect.get(target, name, target);
          if (name !== "all" || typeof member !== "function") {
            return typeof member === "function" ? member.bind(target) : member;
          }
          return async () => {
            if (!isDone) await meanwhile();
            isDone = true;
            return target.all();
          };
        },
      });
    return new Proxy(DATABASE, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name === "prepare") {
          return (sql: string) => (wanted.test(sql) ? held(target.prepare(sql)) : target.prepare(sql));
        }
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  async function historyOverDue(database: (court: Court) => D1Database) {
    const court = await createCourt(DATABASE, [1]);
    const domainId = await court.domain();
    await court.propose(domainId);
    court.edge.clock.now += PERIOD;
    const edge = court.beside({ DATABASE: database(court) });
    const { body } = await edge.ask("GET", `/v1/domains/${domainId}/history`, { key: court.proposer });
    return body.data.map(({ version, action }: { version: number; action: string }) => `${version} ${action}`);
  }

  const whole = ["3 proposal-expired", "2 proposal-opened", "1 created"];
  const finalise = (court: Court) => finaliseDue(DATABASE, court.edge.clock.now);

  test("when the finaliser runs between reading the domain and reading its history", async () => {
    const seen = await historyOverDue((court) => beforeStatement(/FROM domain_history/, () => finalise(court)));
    expect(seen).toEqual(whole);
  });

  test("when the finaliser is faster than the reader who stores what is due", async () => {
    expect(await historyOverDue((court) => interrupted(DATABASE, () => finalise(court)))).toEqual(whole);
  });
});
