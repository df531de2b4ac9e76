/** A decision that was returned is final, whatever other edges' clocks say: docs/decisions/005-registry.md, "Votes". */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { finaliseDue } from "../../../workers/registry/commands/finalise-due.ts";
import { createRegistryFixture, interrupted, type RegistryFixture } from "../../support/registry/fixture.ts";

const { DATABASE } = env;
const PERIOD = 72 * 3_600_000;
const refusal = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];
const equal = (count: number) => Array.from({ length: count }, () => 1);

describe("two edges whose clocks differ, at the end of a vote [RG-109]", () => {
  /** Passed at the end: one edge is past it, the other a millisecond before. */
  async function atTheEnd() {
    const fixture = await createRegistryFixture(DATABASE, equal(10));
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    for (const voter of [0, 1, 2, 3]) await fixture.vote(proposalId, voter);
    const startedAt = fixture.edge.clock.now;
    fixture.edge.clock.now += PERIOD;
    const shown: unknown[] = [];
    const show = async () => {
      shown.push(await fixture.read(`/v1/domains/${domainId}`));
    };
    const behind = fixture.withSettings({ DATABASE: interrupted(DATABASE, show) });
    behind.clock.now = startedAt + PERIOD - 1;
    return { fixture, domainId, proposalId, behind, shown };
  }

  test("a change begun before the end does not undo a returned verification", async () => {
    const { fixture, domainId, proposalId, behind, shown } = await atTheEnd();
    const late = await behind.ask("PATCH", `/v1/domains/${domainId}`, {
      key: fixture.controller,
      headers: { "If-Match": '"v2"' },
      body: { metadata: { name: "Other" } },
    });
    expect(shown).toMatchObject([{ verificationStatus: "Verified", version: 3 }]);
    expect(refusal(late)).toEqual([412, "version_mismatch"]);
    expect([await fixture.read(`/v1/domains/${domainId}`)]).toEqual(shown);
    expect((await fixture.read(`/v1/proposals/${proposalId}`)).state).toBe("passed");
  });

  test("a vote, a withdrawal or a deactivation does not undo it either", async () => {
    const vote = await atTheEnd();
    const voted = await vote.behind.ask("POST", `/v1/proposals/${vote.proposalId}/votes`, {
      key: vote.fixture.voters[4] ?? "",
      body: { option: "no_with_veto" },
    });
    expect(refusal(voted)).toEqual([409, "voting_closed"]);
    expect([await vote.fixture.read(`/v1/domains/${vote.domainId}`)]).toEqual(vote.shown);

    const withdrawal = await atTheEnd();
    const path = `/v1/proposals/${withdrawal.proposalId}/withdraw`;
    const withdrawn = await withdrawal.behind.ask("POST", path, { key: withdrawal.fixture.proposer });
    expect(refusal(withdrawn)).toEqual([409, "proposal_closed"]);
    expect([await withdrawal.fixture.read(`/v1/domains/${withdrawal.domainId}`)]).toEqual(withdrawal.shown);

    const end = await atTheEnd();
    const deleted = await end.behind.ask("DELETE", `/v1/domains/${end.domainId}`, {
      key: end.fixture.controller,
      headers: { "If-Match": '"v2"' },
    });
    expect(refusal(deleted)).toEqual([412, "version_mismatch"]);
    expect((await end.fixture.read(`/v1/proposals/${end.proposalId}`)).state).toBe("passed");
  });

  test.each([
    ["the proposal", (fixture: RegistryFixture, _: string, id: string) => fixture.read(`/v1/proposals/${id}`)],
    ["the card", (fixture: RegistryFixture, id: string) => fixture.read(`/v1/domains/${id}/card`)],
    ["eligibility", (fixture: RegistryFixture, id: string) => fixture.read(`/v1/domains/${id}/eligibility`)],
    ["the history", (fixture: RegistryFixture, id: string) => fixture.read(`/v1/domains/${id}/history`)],
    ["the composite", (fixture: RegistryFixture, id: string) => fixture.read(`/v1/domains/${id}/composite`)],
    ["resolution", (fixture: RegistryFixture, id: string) => fixture.read(`/1.0/identifiers/${id}`)],
    [
      "GraphQL",
      (fixture: RegistryFixture, id: string) =>
        fixture.ask("POST", "/graphql", { body: { query: `{ entity(id: "${id}") { entityVerified } }` } }),
    ],
  ])("a read that returns it has stored it: %s [RG-55]", async (_name, show) => {
    const { fixture, domainId, proposalId } = await atTheEnd();
    await show(fixture, domainId, proposalId);
    const state = "SELECT state FROM proposals WHERE id = ?";
    expect(await DATABASE.prepare(state).bind(proposalId).first("state")).toBe("passed");
    expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  });

  test("many concurrent readers store it once, and all see one state", async () => {
    const { fixture, domainId } = await atTheEnd();
    const shown = await Promise.all(equal(20).map(() => fixture.read(`/v1/domains/${domainId}`)));
    expect(new Set(shown.map((domain) => JSON.stringify(domain))).size).toBe(1);
    expect(await fixture.history(domainId)).toEqual(["created", "proposal-opened", "verified"]);
  });
});

describe("a page of history has each entry once [RG-82]", () => {
  /** The database, with another writer's work before the first statement that matches. */
  function beforeStatement(wanted: RegExp, meanwhile: () => Promise<unknown>): Database {
    let isDone = false;
    const held = (statement: Statement): Statement =>
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

  async function historyOverDue(database: (fixture: RegistryFixture) => Database) {
    const fixture = await createRegistryFixture(DATABASE, [1]);
    const domainId = await fixture.domain();
    await fixture.propose(domainId);
    fixture.edge.clock.now += PERIOD;
    const edge = fixture.withSettings({ DATABASE: database(fixture) });
    const { body } = await edge.ask("GET", `/v1/domains/${domainId}/history`, { key: fixture.proposer });
    return body.data.map(({ version, action }: { version: number; action: string }) => `${version} ${action}`);
  }

  const whole = ["3 proposal-expired", "2 proposal-opened", "1 created"];
  const finalise = (fixture: RegistryFixture) => finaliseDue(DATABASE, fixture.edge.clock.now);

  test("if the finaliser runs between reading the domain and reading its history", async () => {
    const seen = await historyOverDue((fixture) => beforeStatement(/FROM domain_history/, () => finalise(fixture)));
    expect(seen).toEqual(whole);
  });

  test("if the finaliser is faster than the reader who stores the due step", async () => {
    expect(await historyOverDue((fixture) => interrupted(DATABASE, () => finalise(fixture)))).toEqual(whole);
  });
});
