/** Concurrent writers of the registry on PostgreSQL, and a reader who follows the change feed. */
import { expect, test } from "vitest";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { newestChange, readChanges } from "../../workers/registry/store/change-store.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import { countRows } from "../support/ussd/accounts.ts";

const WRITERS = 50;
const EACH = 3;

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

test("with 50 writers, a reader of the change feed sees every change once, in order and without gaps [RG-276]", async () => {
  const database = freshPostgres();
  const fixture = await createRegistryFixture(database, [1]);
  const writers = times(WRITERS).map(async () => {
    for (let made = 0; made < EACH; made += 1) await fixture.domain();
  });
  const written = Promise.all(writers);
  const seen: number[] = [];
  while (seen.length < WRITERS * EACH) {
    const { changes } = await readChanges(database, seen.at(-1) ?? 0, 100);
    seen.push(...changes.map(({ seq }) => seq));
  }
  await written;
  expect(seen).toEqual(times(WRITERS * EACH).map((at) => at + 1));
  expect(await newestChange(database)).toBe(WRITERS * EACH);
});

test("concurrent votes of one voter count once on PostgreSQL [RG-277]", async () => {
  const fixture = await createRegistryFixture(freshPostgres(), [3, 2]);
  const proposal = await fixture.propose(await fixture.domain());
  const votes = await Promise.all([0, 0, 0, 1, 1, 1].map((voter) => fixture.vote(proposal, voter)));
  expect(votes.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(await fixture.read(`/v1/proposals/${proposal}`)).toMatchObject({
    state: "passed",
    tally: { yes: 5, cast: 5 },
  });
});

test("50 voters who vote at once are all counted, and the decision is made once [RG-277]", async () => {
  const weights = times(WRITERS).map(() => 1);
  const fixture = await createRegistryFixture(freshPostgres(), weights);
  const id = await fixture.domain();
  const proposal = await fixture.propose(id);
  const votes = await Promise.all(times(WRITERS).map((voter) => fixture.vote(proposal, voter)));
  // A vote after the decision is refused, and every other one is stored.
  const stored = votes.filter(({ status }) => status === 201);
  expect(votes.filter(({ status }) => status !== 201).map(({ body }) => body.code)).toEqual(
    times(WRITERS - stored.length).map(() => "proposal_closed"),
  );
  expect(await countRows(fixture.database, "votes")).toBe(stored.length);
  expect(await fixture.read(`/v1/proposals/${proposal}`)).toMatchObject({
    state: "passed",
    tally: { yes: stored.length, cast: stored.length },
  });
  expect((await fixture.history(id)).filter((action) => action === "verified")).toHaveLength(1);
});

test("20 concurrent proposals on one domain open one proposal [RG-295]", async () => {
  const fixture = await createRegistryFixture(freshPostgres(), [1, 1]);
  const id = await fixture.domain();
  const body = { title: "Verify", package: {} };
  const call = { key: fixture.proposer, body };
  const answers = await Promise.all(times(20).map(() => fixture.ask("POST", `/v1/domains/${id}/proposals`, call)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body: refusal }) => refusal.code))).toEqual(
    new Set(["proposal_open"]),
  );
  expect(await countRows(fixture.database, "proposals")).toBe(1);
});

test("20 writers who repeat one request with one Idempotency-Key create one domain each [RG-73, RG-295]", async () => {
  const fixture = await createRegistryFixture(freshPostgres(), [1]);
  const body = { type: "Project", class: "did:ixo:protocol/clean-cooking" };
  const answers = await Promise.all(
    times(100).map((at) => {
      const headers = { "Idempotency-Key": `key-${at % 20}` };
      return fixture.ask("POST", "/v1/domains", { key: fixture.controller, headers, body });
    }),
  );
  expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
  expect(new Set(answers.map(({ body: domain }) => domain.id)).size).toBe(20);
  expect(await countRows(fixture.database, "domains")).toBe(20);
  expect(await newestChange(fixture.database)).toBe(20);
});

test("errors contain neither the address nor the password of an unreachable database [RG-278]", async () => {
  const { database: gone } = openPostgres("postgres://repository:topsecret@127.0.0.1:1/nowhere");
  const failed = gone.prepare("SELECT 1").first();
  await expect(failed).rejects.toThrow("the database is unreachable: ECONNREFUSED");
});
