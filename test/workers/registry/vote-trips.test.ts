/** The cost of a vote: round trips to the database, counted on its binding. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createRegistryFixture } from "../../support/registry/fixture.ts";

/** The database, with a count of round trips: each single statement, each batch. */
function countedTrips(database: D1Database) {
  let trips = 0;
  const originals = new WeakMap<object, D1PreparedStatement>();
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const first = (column?: string) => (
      (trips += 1),
      column === undefined ? statement.first() : statement.first(column)
    );
    const own = {
      bind: (...values: unknown[]) => counted(statement.bind(...values)),
      first,
      all: () => ((trips += 1), statement.all()),
      run: () => ((trips += 1), statement.run()),
    } as unknown as D1PreparedStatement;
    originals.set(own, statement);
    return own;
  };
  const own = {
    prepare: (text: string) => counted(database.prepare(text)),
    batch: (statements: D1PreparedStatement[]) => (
      (trips += 1),
      database.batch(statements.map((each) => originals.get(each) ?? each))
    ),
  } as unknown as D1Database;
  return { database: own, trips: () => trips };
}

test.each([
  ["the first of two votes", 0, "open"],
  ["the deciding vote", 1, "passed"],
])(
  "%s with an Idempotency-Key takes three round trips, including the API key's, and one after its response for the audit log [RG-73, RG-107]",
  async (_, before, state) => {
    const fixture = await createRegistryFixture(env.DATABASE, [1, 1]);
    const key = await fixture.edge.keyOf(String(fixture.voterDids[1]), ["verification:vote"]);
    // A recorded use is not recorded again within the minute.
    await fixture.ask("GET", "/v1/api-keys/current", { key });
    await fixture.edge.settled();
    const domainId = await fixture.domain();
    const proposalId = await fixture.propose(domainId);
    for (let voter = 0; voter < before; voter += 1) await fixture.vote(proposalId, voter);
    const { database, trips } = countedTrips(env.DATABASE);
    const edge = fixture.withSettings({ DATABASE: database });
    // After the response to a write, an isolate reads the list of webhooks, once in five seconds.
    await edge.ask("POST", "/v1/domains", { key: fixture.controller, body: { type: "t", class: "did:a:b" } });
    await edge.settled();
    const earlier = trips();
    const cast = await edge.ask("POST", `/v1/proposals/${proposalId}/votes`, {
      key,
      body: { option: "yes" },
      headers: { "Idempotency-Key": "once" },
    });
    expect([cast.status, trips() - earlier]).toEqual([201, 4]);
    const stored = "SELECT state, decided_at IS NOT NULL AS decided FROM proposals WHERE id = ?";
    expect(await env.DATABASE.prepare(stored).bind(proposalId).first()).toEqual({
      state,
      decided: state === "open" ? 0 : 1,
    });
  },
);
