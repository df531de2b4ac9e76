/** The job that shrinks the history of earlier releases. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registryMigrations, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { changeDomain, storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { updateDomain } from "../domain/update.ts";
import { readDomain } from "./domain-rows.ts";
import { readVersion } from "./history-store.ts";
import { shrinkHistory, stepRowsSql } from "./history-shrinking.ts";
import { readSnapshot } from "./stored-columns.ts";

const parsed = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!parsed.ok) throw new Error("the configuration of the test is wrong");
const config = parsed.value;
const caller = {
  keyId: "k",
  did: "did:web:old.test",
  role: null,
  scopes: ["registry:admin", "domains:write"],
} as const;

/** Domains with these numbers of versions, stored as the previous release did: each version with its snapshot. */
async function oldDatabase(lengths: readonly number[]) {
  const database = testDatabase();
  let now = Date.parse("2026-11-21T09:00:00Z");
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const parts = { database, clock: () => (now += 7), randomBytes, config };
  const texts = new Map<string, string>();
  for (const length of lengths) {
    const body = { type: "Project", class: "did:ixo:p:x", metadata: { name: "first" } };
    const made = await storeNewDomain(parts, { body, creator: caller, extra: () => [] });
    if (!made.ok) throw new Error(made.error.message);
    const { id } = made.value;
    for (let version = 1; version <= length; version += 1) {
      if (version > 1) {
        const metadata = { name: `v${version}`, text: "x".repeat(version % 29 === 0 ? 5_000 : 50) };
        await changeDomain(parts, {
          id,
          caller,
          precondition: () => undefined,
          step: (domain, at) => updateDomain(domain, { metadata }, { actor: caller, at, materialFields: [] }),
        });
      }
      texts.set(`${id} ${version}`, JSON.stringify(readSnapshot(JSON.stringify(await readDomain(database, id)))));
    }
  }
  const restore = database.prepare(
    "UPDATE domain_history SET snapshot = ?, undo = NULL WHERE domain_id = ? AND version = ?",
  );
  const restored = [...texts].map(([key, text]) => {
    const [id = "", version] = key.split(" ");
    return restore.bind(text, id, Number(version));
  });
  await database.batch(restored);
  return { database, texts };
}

test("it ends after bounded steps, and each version is the same as before [RG-273]", async () => {
  const { database, texts } = await oldDatabase([1, 2, 40, 150, 1, 33]);
  const size = async () =>
    (await database.prepare("SELECT sum(length(snapshot)) AS n FROM domain_history").first<number>("n")) ?? 0;
  const before = await size();
  let runs = 0;
  while (await shrinkHistory(database, 1)) {
    runs += 1;
    for (const [key, text] of texts) {
      const [id = "", version] = key.split(" ");
      const found = await readVersion(database, id, { version: Number(version) });
      expect(JSON.stringify(found?.record)).toBe(text);
    }
    expect(runs).toBeLessThan(10);
  }
  expect(await size()).toBeLessThan(before / 2);
  expect(await shrinkHistory(database, 1)).toBe(false);
});

test("a step reads the history by its key [RG-273]", () => {
  const sqlite = sqliteWith(registryMigrations);
  const plan = sqlite
    .prepare(`EXPLAIN QUERY PLAN ${stepRowsSql}`)
    .all("", 0, 100, 1_000)
    .map(({ detail }) => String(detail));
  expect(plan.filter((step) => /^SCAN (?:domain_history|history|domains)\b/.test(step))).toEqual([]);
  expect(readFileSync(join(import.meta.dirname, "../../../migrations/0018_registry_history.sql"), "utf8")).not.toMatch(
    /^UPDATE/m,
  );
});
