/** The registry's journey on both engines: the same requests, and equal answers but for what is random. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { createRegistryFixture } from "../support/registry/fixture.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import { createSqliteDatabase } from "../support/storage/sqlite-database.ts";

const migrations = readdirSync("migrations").filter((name) => name.endsWith(".sql"));

/** The answers of a domain's life, without ids, digests and keys. */
async function journey(database: Database): Promise<readonly string[]> {
  const fixture = await createRegistryFixture(database, [3, 2]);
  const id = await fixture.domain();
  const proposal = await fixture.propose(id);
  const votes = [await fixture.vote(proposal, 0), await fixture.vote(proposal, 1)];
  const paths = [
    `/v1/domains/${id}`,
    `/v1/domains/${id}/history`,
    `/v1/proposals/${proposal}`,
    `/v1/proposals/${proposal}/votes`,
    "/v1/changes",
    "/v1/voters",
    ...[
      "limit=2",
      "q=clean",
      "q=cle",
      "q=wat",
      "sort=name",
      "type=Project&type=dao",
      "verificationStatus=Verified",
    ].map((query) => `/v1/domains?${query}`),
  ];
  const answers = [...votes];
  for (const path of paths) answers.push(await fixture.ask("GET", path, { key: fixture.admin }));
  const query = `{ entities(first: 3, filter: { name: { includesInsensitive: "a" } }) { nodes { type } totalCount } }`;
  answers.push(await fixture.ask("POST", "/graphql", { key: fixture.admin, body: { query } }));
  await fixture.finalise();
  return answers.map(({ status, body }) => `${status} ${withoutRandom(JSON.stringify(body))}`);
}

function withoutRandom(text: string): string {
  return text
    .replaceAll(/registry-\d+/g, "registry")
    .replaceAll(/prp_[A-Za-z0-9]+/g, "prp")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}/g, "random")
    .replaceAll(/"cursor":"[^"]*"|"nextCursor":"[^"]*"/g, '"cursor"');
}

test("PostgreSQL and D1 answer a domain's life alike: create, vote, verify, list, search, GraphQL [RG-275]", async () => {
  expect(await journey(freshPostgres())).toEqual(await journey(createSqliteDatabase(migrations)));
});
