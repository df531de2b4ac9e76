/** Concurrent writers on PostgreSQL, and a reader who follows the change feed. */
import { afterAll, expect, inject, test } from "vitest";
import { openPostgres } from "../../platform/database/postgres/node.ts";
import { newestChange, readChanges } from "../../workers/registry/store/change-store.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";

const { database, close } = openPostgres(inject("postgresUrl"));
afterAll(() => close());

const WRITERS = 50;
const EACH = 3;

test("with 50 writers, a reader of the change feed sees every change once, in order and without gaps [RG-276]", async () => {
  const fixture = await createRegistryFixture(database, [1]);
  const before = await newestChange(database);
  const writers = Array.from({ length: WRITERS }, async () => {
    for (let made = 0; made < EACH; made += 1) await fixture.domain();
  });
  const written = Promise.all(writers);
  const seen: number[] = [];
  while (seen.length < WRITERS * EACH) {
    const { changes } = await readChanges(database, before + seen.length, 100);
    seen.push(...changes.map(({ seq }) => seq));
  }
  await written;
  expect(seen).toEqual(Array.from({ length: WRITERS * EACH }, (_, at) => before + 1 + at));
  expect(await newestChange(database)).toBe(before + WRITERS * EACH);
});

test("concurrent votes of one voter count once on PostgreSQL [RG-277]", async () => {
  const fixture = await createRegistryFixture(database, [3, 2]);
  const proposal = await fixture.propose(await fixture.domain());
  const votes = await Promise.all([0, 0, 0, 1, 1, 1].map((voter) => fixture.vote(proposal, voter)));
  expect(votes.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(await fixture.read(`/v1/proposals/${proposal}`)).toMatchObject({
    state: "passed",
    tally: { yes: 5, cast: 5 },
  });
});

test("an address or password of an unreachable database is in no error [RG-278]", async () => {
  const { database: gone } = openPostgres("postgres://keeper:topsecret@127.0.0.1:1/nowhere");
  const failed = gone.prepare("SELECT 1").first();
  await expect(failed).rejects.toThrow("the database is unreachable: ECONNREFUSED");
});
