/** Settled claims are kept for the operator's retention time, over a real database. */
import { expect, test } from "vitest";
import type { Database } from "../../../platform/database/database.ts";
import { createSqliteDatabase } from "../../../test/support/storage/sqlite-database.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { OLD_CLAIMS_AT_ONCE, openClaim, removeOldClaims } from "./claims-table.ts";
import { creditConfig } from "./settings.ts";

const OLD = "2026-01-01T00:00:00.000Z";
const NEW = "2026-03-01T00:00:00.000Z";
const BEFORE = "2026-02-01T00:00:00.000Z";

async function claimsOf(database: Database): Promise<readonly string[]> {
  const { results } = await database.prepare("SELECT run_id FROM claims ORDER BY run_id").all<{ run_id: string }>();
  return results.map(({ run_id }) => run_id);
}

test("older settled claims are removed, open and submitted ones stay [OR-609]", async () => {
  const database = testDatabase(["0009_claims.sql", "0016_claims_retention.sql"]);
  const claims = [
    ["old-open", OLD, "open"],
    ["old-settled", OLD, "settled"],
    ["old-submitted", OLD, "submitted"],
    ["new-settled", NEW, "settled"],
  ] as const;
  for (const [runId, createdAt, status] of claims) {
    await openClaim(database, { payer: "did:key:z1", runId, amount: 1, createdAt });
    await database.prepare("UPDATE claims SET status = ?1 WHERE run_id = ?2").bind(status, runId).run();
  }
  await removeOldClaims(database, BEFORE);
  expect(await claimsOf(database)).toEqual(["new-settled", "old-open", "old-submitted"]);
});

test("one run removes 500, using the index, even in a database that has no index yet [OR-609]", async () => {
  const database = createSqliteDatabase([]);
  await removeOldClaims(database, BEFORE);
  await database.prepare("DROP INDEX claims_settled").run();
  await database
    .prepare(
      `INSERT INTO claims (id, payer, run_id, amount, status, created_at)
       WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < ?1)
       SELECT at, 'did:key:z1', 'run-' || at, 1, 'settled', ?2 FROM n`,
    )
    .bind(OLD_CLAIMS_AT_ONCE + 1, OLD)
    .run();
  await removeOldClaims(database, BEFORE);
  expect(await claimsOf(database)).toHaveLength(1);
  const { results } = await database
    .prepare(
      "EXPLAIN QUERY PLAN SELECT id FROM claims INDEXED BY claims_settled WHERE status = 'settled' AND created_at < '' ORDER BY created_at LIMIT 1",
    )
    .all<{ detail: string }>();
  expect(results.map(({ detail }) => detail).join("\n")).toMatch(
    /^SEARCH claims USING (?:COVERING )?INDEX claims_settled/,
  );
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["0", undefined],
  ["30", 30],
  ["36500", 36_500],
])("CREDITS_RETENTION_DAYS %j keeps %j days [OR-608]", (text, days) => {
  const read = creditConfig.parse({
    CREDIT_LEDGER: {},
    ...(text === undefined ? {} : { CREDITS_RETENTION_DAYS: text }),
  });
  expect(read).toMatchObject({ ok: true, value: { retentionMs: days === undefined ? undefined : days * 86_400_000 } });
});

test.each(["29", "36501", "1e3", "-30", "30 days"])(
  "CREDITS_RETENTION_DAYS %j is refused by its name [OR-608]",
  (text) => {
    const read = creditConfig.parse({ CREDIT_LEDGER: {}, CREDITS_RETENTION_DAYS: text });
    expect(read).toMatchObject({ ok: false, error: [expect.stringMatching(/^CREDITS_RETENTION_DAYS must be 0/)] });
  },
);
