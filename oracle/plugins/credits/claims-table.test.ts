/** The table of claims over a real database. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSqliteDatabase } from "../../../test/support/storage/sqlite-database.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import {
  CLAIMS_INDEXES,
  CLAIMS_OF_REFUSAL,
  CLAIMS_TABLE,
  claimIdOf,
  claimPage,
  openClaim,
  unpaidClaims,
} from "./claims-table.ts";

const payer = "did:key:zPayer";
const claim = (index: number) => ({
  payer,
  runId: `run-${index}`,
  amount: index,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString(),
});

it("the first claim creates the table in an author's database, equal to the migrations' table [OR-343]", async () => {
  const migration = ["0009_claims.sql", "0016_claims_retention.sql"]
    .map((name) => readFileSync(join(import.meta.dirname, "../../../migrations", name), "utf8"))
    .join("\n");
  const statements = (sql: string) =>
    sql
      .replaceAll(/^--.*$/gm, "")
      .replaceAll("IF NOT EXISTS ", "")
      .split(";")
      .map((statement) => statement.replaceAll(/\s+/g, " ").trim())
      .filter((statement) => statement !== "");
  expect(statements([CLAIMS_TABLE, ...CLAIMS_INDEXES].join(";"))).toEqual(statements(migration));
  const bare = createSqliteDatabase([]);
  await openClaim(bare, claim(1));
  expect(await unpaidClaims(bare, payer)).toEqual([await claimIdOf(claim(1))]);
});

it("a run opens one claim, with a stable id that differs per payer [OR-343]", async () => {
  const database = testDatabase(["0009_claims.sql"]);
  await openClaim(database, claim(1));
  await openClaim(database, { ...claim(1), amount: 99 });
  const { claims } = (await claimPage(database, payer, { limit: 5 })) ?? {};
  expect(claims).toEqual([
    { id: await claimIdOf(claim(1)), amount: 0.000_001, status: "open", createdAt: claim(1).createdAt },
  ]);
  expect(claims?.[0]?.id).toMatch(/^claim_[0-9a-f]{32}$/);
  expect(await claimIdOf({ ...claim(1), payer: "did:key:zOther" })).not.toBe(claims?.[0]?.id);
});

it("pages run newest first without gap or repeat; an unknown cursor is refused; refusals name at most 100 [OR-343]", async () => {
  const database = testDatabase(["0009_claims.sql"]);
  const made = Array.from({ length: CLAIMS_OF_REFUSAL + 5 }, (_, index) => claim(index));
  for (const each of made) await openClaim(database, each);
  await openClaim(database, { ...claim(500), payer: "did:key:zOther" });
  const walked: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await claimPage(database, payer, { limit: 7, cursor });
    walked.push(...(page?.claims ?? []).map(({ amount }) => Math.round(amount * 1e6)));
    cursor = page?.next;
  } while (cursor !== undefined);
  expect(walked).toEqual(made.map(({ amount }) => amount).toReversed());
  expect(await claimPage(database, payer, { limit: 7, cursor: "x" })).toBeUndefined();
  expect(CLAIMS_OF_REFUSAL).toBe(100);
  expect(await unpaidClaims(database, payer)).toHaveLength(100);
});
