/**
 * Search on PostgreSQL, whose full-text index has no order, over 20,000 domains: the results of D1, and a number of rows that does not
 * grow with the domains.
 */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createRegistryFixture } from "../support/registry/fixture.ts";
import { fillTables, MANY } from "../support/registry/many-rows.ts";
import { recordedDatabase } from "../support/registry/recorded-database.ts";
import { freshPostgres } from "../support/storage/fresh-postgres.ts";
import { planOf } from "../support/storage/postgres-plans.ts";

const database = freshPostgres();
const recorded = recordedDatabase(database);
const fixture = await createRegistryFixture(database, [1, 2]);
const edge = fixture.withSettings({ DATABASE: recorded.database });

/** Domains with the word "repaired", the oldest ones: more than the index reads. */
const REPAIRED = 3_000;

beforeAll(async () => {
  await fillTables(database);
  await database.prepare("UPDATE domain_search SET text = text || ' repaired' WHERE rowid <= ?1").bind(REPAIRED).run();
  // As the triggers would keep them.
  await database.batch([
    database.prepare("DELETE FROM domain_counts"),
    ...["'all', ''", "'class', class", "'type', type_key", "'owner', owner"].map((kept) =>
      database.prepare(
        `INSERT INTO domain_counts (member, value, status, verification_status, domains)
         SELECT ${kept}, status, verification_status, count(*) FROM domains GROUP BY 1, 2, 3, 4`,
      ),
    ),
  ]);
  // In the names of two domains and in the text of all.
  await database.prepare("UPDATE domain_search SET name = 'improved' WHERE rowid IN (17, 4001)").run();
  await database.prepare("VACUUM ANALYZE domain_search").run();
});
beforeEach(() => {
  recorded.ran.length = 0;
});

const ask = (query: string) => edge.ask("GET", `/v1/domains?${query}`, { key: fixture.proposer });
const serialOf = ({ externalId }: { readonly externalId: string }) => Number(externalId.slice("serial-".length));
const serials = async (query: string): Promise<readonly number[]> => (await ask(query)).body.data.map(serialOf);

async function rowsRead(): Promise<number> {
  const plans = await Promise.all(recorded.ran.map((each) => planOf(database, each)));
  return plans.flatMap(({ reads }) => reads).reduce((sum, { rows }) => sum + rows, 0);
}

const newest = (number: number) => Array.from({ length: number }, (_, at) => MANY - at);

test.each([
  ["q=stove&limit=5", newest(5), 3_000],
  ["q=improved&limit=5", [4001, 17, MANY, MANY - 1, MANY - 2], 6_000],
  ["q=stove17999&limit=5", [17_999], 3_000],
  ["q=cook&limit=5", [], 3_000],
  ["q=stove&externalId=serial-17", [17], 3_000],
  ["q=stove&class=did:ixo:protocol:99&limit=2", [19_999, 19_899], 6_000],
  ["q=improved&status=suspended&limit=2", [20_000, 19_900], 6_000],
  ["q=stove17&sort=createdAt&limit=3", [17, 170, 171], 6_000],
])("%s finds its domains in their order, and reads few [RG-77, RG-296]", async (query, expected, most) => {
  expect(await serials(query)).toEqual(expected);
  expect(await rowsRead()).toBeLessThan(most);
});

test("a frequent word that only old domains have is found by a walk that the meter charges [RG-172, RG-296]", async () => {
  expect(await serials("q=repaired&limit=3")).toEqual([3000, 2999, 2998]);
  const sums = await Promise.all(recorded.ran.map((each) => planOf(database, each)));
  const largest = Math.max(...sums.map(({ reads }) => reads.reduce((sum, { rows }) => sum + rows, 0)));
  // A window of 25,000 units, at 13 for a domain: it reads the domain, its words and, if it matches, the domain again.
  expect(largest).toBeLessThan((3 * 25_000) / 13);
});

test("every page of a search continues the previous one, and each domain is returned once [RG-78]", async () => {
  const walked: number[] = [];
  for (let path: string | undefined = "/v1/domains?q=improved&class=did:ixo:protocol:1&limit=77"; path !== undefined;) {
    const page = await edge.ask("GET", path, { key: fixture.proposer });
    walked.push(...page.body.data.map(serialOf));
    path = /<([^>]+)>/.exec(page.headers.get("Link") ?? "")?.[1];
  }
  const expected = newest(MANY).filter((number) => number % 100 === 1);
  expect(walked).toEqual([4001, ...expected.filter((number) => number !== 4001)]);
});

test("totals of frequent and of rare words [RG-75]", async () => {
  for (const [query, total] of [
    ["q=stove", MANY],
    ["q=repaired", REPAIRED],
    ["q=stove1999", 11],
    ["q=stove&verificationStatus=Verified", MANY / 4],
    ["q=stove&status=suspended", MANY / 100],
    ["q=cook", 0],
  ] as const) {
    const page = await ask(`${query}&count=true&limit=1`);
    expect([page.status, page.body.page?.total], query).toEqual([200, total]);
  }
});

test("frequent words have the order of relevance alone [RG-173]", async () => {
  expect(await ask("q=stove&sort=name")).toMatchObject({ status: 400, body: { code: "query_too_costly" } });
});
