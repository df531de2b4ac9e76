/** Usage claims and preferences while the database is full. */
import { expect, test } from "vitest";
import { runtimeContext } from "../../test/support/plugins/small-plugins.ts";
import { fillDatabase, isStored, makeRoom } from "../../test/support/storage/full-database.ts";
import { createSqliteDatabase } from "../../test/support/storage/sqlite-database.ts";
import { createLogger } from "../../platform/log.ts";
import { claimPage, openClaim, unpaidClaims } from "./credits/claims-table.ts";
import { createPreferencesTool } from "./user-preferences/plugin.ts";
import { loadPreferences, mergePreferences } from "./user-preferences/preferences.ts";

const FULL = "database or disk is full";
const log = createLogger({}, () => undefined);

test("a claim that a full database refuses is opened once by the retry, and reads continue [OR-661]", async () => {
  const database = createSqliteDatabase(["0009_claims.sql", "0016_claims_retention.sql"]);
  const payer = "did:key:zPayer";
  const createdAt = "2026-11-21T09:00:00.000Z";
  const claimOf = (run: number) => ({ payer, runId: `run-${run}`, amount: run, createdAt });
  let opened = 0;
  await fillDatabase(database, async () => {
    const isOpened = await isStored(() => openClaim(database, claimOf(opened)));
    if (isOpened) opened += 1;
    return isOpened;
  });
  expect(opened).toBeGreaterThan(0);
  await expect(openClaim(database, claimOf(opened))).rejects.toThrow(FULL);
  expect((await claimPage(database, payer, { limit: 1_000 }))?.claims).toHaveLength(opened);
  await makeRoom(database);
  // The hook of the ended turn is called again until it succeeds.
  for (let again = 0; again < 2; again += 1) await openClaim(database, claimOf(opened));
  expect((await claimPage(database, payer, { limit: 1_000 }))?.claims).toHaveLength(opened + 1);
  expect((await unpaidClaims(database, payer)).length).toBe(Math.min(opened + 1, 100));
});

test("a full database refuses a change of preferences with its reason, and earlier ones still apply [OR-661]", async () => {
  const database = createSqliteDatabase(["0001_user_preferences.sql"]);
  const now = Date.parse("2026-11-21T09:00:00Z");
  const keyOf = (user: string) => ({ userDid: `did:web:${user}.test`, oracleDid: "did:web:oracle.test" });
  const save = (user: string, language: string) => mergePreferences(database, keyOf(user), { language }, now, log);
  await save("ada", "German");
  let users = 0;
  await fillDatabase(database, () => isStored(() => save(`user-${(users += 1)}`, "English")));
  const tool = createPreferencesTool({ save: ({ language = "" }) => save("late", language), log });
  const refused = "[Preferences not saved: the database of this service is full; earlier preferences still apply]";
  expect(await tool.handler({ language: "French" }, runtimeContext())).toBe(refused);
  expect((await loadPreferences(database, keyOf("ada"), log))?.preferences).toEqual({ language: "German" });
  expect(await loadPreferences(database, keyOf("late"), log)).toBeUndefined();
  await makeRoom(database);
  expect(await tool.handler({ language: "French" }, runtimeContext())).toContain("Preferences saved:");
});
