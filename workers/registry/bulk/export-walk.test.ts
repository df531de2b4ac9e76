/** Memory use of an export: one page of bounded size, whatever the domains contain. */
import type { Database, Statement } from "../../../platform/database/database.ts";
import { expect, test } from "vitest";
import { domainId, domainRecord } from "../../../test/support/registry/domain-records.ts";
import { freeMeter } from "../../../test/support/registry/unlimited-meter.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { readListQuery } from "../lists/domain-query.ts";
import { PAGE_BYTES, walkDomains } from "./export-walk.ts";

const LARGE = 60_000;

/** The database. `weights` collects the number of characters that each statement returns. */
function weighed(database: Database, weights: number[]): Database {
  const weigh = (statement: Statement): object => ({
    bind: (...values: unknown[]) => weigh(statement.bind(...values)),
    async all() {
      const answer = await statement.all();
      const texts = answer.results.flatMap((row) => Object.values(row)).filter((value) => typeof value === "string");
      weights.push(texts.reduce((sum, text) => sum + text.length, 0));
      return answer;
    },
  });
  return { prepare: (sql: string) => weigh(database.prepare(sql)) } as unknown as Database;
}

test.each([
  ["small", () => false],
  ["large", () => true],
  ["large, after many small ones", (at: number) => at >= 130],
  ["small except for a large one", (at: number) => at === 150],
])("an export holds at most one page in memory if its domains are %s", async (_, isLarge) => {
  const registry = registryInNode();
  const ids = Array.from({ length: 170 }, (__, at) => domainId(at));
  for (const at of ids.keys())
    await registry.store(domainRecord(at, { metadata: { padding: isLarge(at) ? "x".repeat(LARGE) : "" } }));
  const query = readListQuery(new URLSearchParams("sort=createdAt"));
  if (!query.ok) throw new Error(query.error.message);
  const weights: number[] = [];
  const met: unknown[] = [];
  for await (const page of walkDomains(
    { database: weighed(registry.d1, weights), meterOf: freeMeter },
    query.value,
    undefined,
  )) {
    met.push(...page.map((domain) => (domain as { readonly id: string }).id));
  }
  expect(met).toEqual(ids);
  // The page includes the domain that exceeds the limit. Columns that are not JSON add a few hundred characters per
  // domain.
  expect(Math.max(...weights)).toBeLessThan(PAGE_BYTES + LARGE + 100 * 2_000);
  expect(weights.length).toBeLessThan(40);
});

test("a domain larger than the page limit gets its own page", async () => {
  const registry = registryInNode();
  for (const at of [1, 2])
    await registry.store(domainRecord(at, { metadata: { padding: "x".repeat(2 * PAGE_BYTES) } }));
  const query = readListQuery(new URLSearchParams("sort=createdAt"));
  if (!query.ok) throw new Error(query.error.message);
  const pages: number[] = [];
  for await (const page of walkDomains({ database: registry.d1, meterOf: freeMeter }, query.value, undefined))
    pages.push(page.length);
  expect(pages).toEqual([1, 1]);
});
