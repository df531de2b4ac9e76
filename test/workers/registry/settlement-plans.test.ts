/** The plans of the scheduled run on D1. PostgreSQL's are in test/postgres/list-plans.test.ts. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { dueDomainsSql } from "../../../workers/registry/store/effective-domain.ts";
import { createRegistryFixture } from "../../support/registry/fixture.ts";
import { recordedDatabase } from "../../support/registry/recorded-database.ts";

const { DATABASE } = env;

test("finds due domains by partial indexes [RG-80]", async () => {
  const { results } = await DATABASE.prepare(`EXPLAIN QUERY PLAN ${dueDomainsSql}`)
    .bind(0, 200)
    .all<{ detail: string }>();
  const plan = results.map(({ detail }) => detail).join("; ");
  expect(plan).toMatch(/SEARCH proposals USING INDEX proposals_due \(due_at<\?\)/);
  expect(plan).toMatch(/SEARCH domains USING INDEX domains_by_service_end \(valid_until_ms<\?\)/);
  expect(plan).toMatch(/SCAN domains USING INDEX domains_deactivated_verified/);
  // Each of the three stops at the limit: nothing sorts or groups all due domains.
  expect(plan.match(/SCAN|SEARCH/g)?.length).toBeLessThanOrEqual(7);
});

test("no job of a run scans a growing table [RG-251]", async () => {
  const recorded = recordedDatabase(DATABASE);
  const fixture = await createRegistryFixture(recorded.database, [1]);
  fixture.edge.clock.now = Math.ceil(fixture.edge.clock.now / 3_600_000) * 3_600_000;
  recorded.ran.length = 0;
  await fixture.finalise();
  expect(recorded.ran.length).toBeGreaterThanOrEqual(5);
  const plans = await Promise.all(recorded.ran.map((each) => recorded.plan(each)));
  // There are fifty webhooks at most, and the index of deactivated domains contains only due ones.
  const bounded =
    /^SCAN (?:\(subquery-\d+\)|page|weighed|CONSTANT ROW|\w+ VIRTUAL TABLE .*|webhooks|domains USING INDEX domains_deactivated_verified)$/;
  expect(plans.flat().filter((step) => step.startsWith("SCAN") && !bounded.test(step))).toEqual([]);
});
