/** A version by its time or its digest, compared with a reading of all versions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { d1Over, registryMigrations, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { changeDomain, storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { updateDomain } from "../domain/update.ts";
import { listHistory, readVersion } from "./history-store.ts";

const parsed = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!parsed.ok) throw new Error("the configuration of the test is wrong");
const config = parsed.value;
const caller = {
  keyId: "k",
  did: "did:web:search.test",
  role: null,
  scopes: ["registry:admin", "domains:write"],
} as const;
const START = Date.parse("2026-11-21T09:00:00Z");

/**
 * A domain whose versions begin at these distances from each other, in milliseconds; a negative one means a clock that
 * runs behind.
 */
async function domainWith(gaps: readonly number[]) {
  const sqlite = sqliteWith(registryMigrations);
  const database = d1Over(sqlite);
  let now = START;
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const parts = { database, clock: () => now, randomBytes, config };
  const body = { type: "Project", class: "did:ixo:p:x", metadata: {} };
  const made = await storeNewDomain(parts, { body, creator: caller, extra: () => [] });
  if (!made.ok) throw new Error(made.error.message);
  const { id } = made.value;
  for (const [at, gap] of gaps.entries()) {
    now += gap;
    await changeDomain(parts, {
      id,
      caller,
      precondition: () => undefined,
      step: (domain, time) =>
        updateDomain(domain, { metadata: { at } }, { actor: caller, at: time, materialFields: [] }),
    });
  }
  return { sqlite, database, id };
}

const gapsOf = fc.array(fc.constantFrom(-3, 0, 0, 1, 2, 7), { maxLength: 70 });

test("the version at a time is the last one that had begun [RG-252, RG-270]", async () => {
  await fc.assert(
    fc.asyncProperty(gapsOf, async (gaps) => {
      const { sqlite, database, id } = await domainWith(gaps);
      const { entries } = await listHistory(database, id, { before: undefined, limit: 100 });
      const last = Date.parse(entries[0]?.at ?? "");
      for (let at = START - 2; at <= last + 2; at += 1) {
        const expected = entries.find((entry) => Date.parse(entry.at) <= at)?.version;
        const found = await readVersion(database, id, { at });
        expect(found?.record.version).toBe(expected);
        expect(found?.record.updatedAt).toBe(found?.entry.at);
      }
      sqlite.close();
    }),
    { numRuns: 10 },
  );
}, 60_000);

test("a digest with the first digits of another one is found by all its digits [RG-80]", async () => {
  const { sqlite, database, id } = await domainWith([1, 1]);
  const { entries } = await listHistory(database, id, { before: undefined, limit: 10 });
  const [third, second] = entries.map(({ versionId }) => versionId);
  if (third === undefined || second === undefined) throw new Error("the domain has three versions");
  const alike = third.slice(0, 8) + second.slice(8);
  sqlite.prepare("UPDATE domain_history SET version_id = ? WHERE domain_id = ? AND version = 2").run(alike, id);
  expect((await readVersion(database, id, { versionId: third }))?.entry.version).toBe(3);
  expect((await readVersion(database, id, { versionId: alike }))?.entry.version).toBe(2);
  expect(await readVersion(database, id, { versionId: third.slice(0, 8) })).toBeUndefined();
  expect(await readVersion(database, "did:ixo:entity:none", { versionId: third })).toBeUndefined();
});
