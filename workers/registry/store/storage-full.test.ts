/** A full database, made with SQLite's own page limit. */
import { afterEach, expect, test } from "vitest";
import { registryMigrations, sqliteWith, d1Over } from "../../../test/support/storage/sqlite-database.ts";
import { isDatabaseFull } from "../../../platform/database/database-size.ts";
import { storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { runImport } from "../bulk/import-run.ts";

const read = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!read.ok) throw new Error("the configuration of the test is wrong");
const config = read.value;
const at = Date.parse("2026-11-21T09:00:00Z");
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});

/** A database with room for a few domains. */
function smallDatabase() {
  const sqlite = sqliteWith(registryMigrations);
  opened.push(sqlite);
  const pages = Number(sqlite.prepare("PRAGMA page_count").get()?.["page_count"]);
  sqlite.exec(`PRAGMA max_page_count = ${pages + 40}`);
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  return { sqlite, parts: { database: d1Over(sqlite), clock: () => at, randomBytes, config } };
}

const body = { type: "Project", class: "did:ixo:p:x", metadata: { text: "x".repeat(8_000) } };

test("a write fails as a whole, reads continue, and writes succeed once there is room [RG-204]", async () => {
  const { sqlite, parts } = smallDatabase();
  const creator = { keyId: "key_1", did: "did:web:full.test", role: null, scopes: ["domains:write"] } as const;
  const create = () => storeNewDomain(parts, { body, creator, extra: () => [] });
  let created = 0;
  let thrown: unknown;
  while (thrown === undefined && created < 100) {
    try {
      await create();
      created += 1;
    } catch (error) {
      thrown = error;
    }
  }
  expect(isDatabaseFull(thrown)).toBe(true);
  const counts = () =>
    ["domains", "domain_history", "changes"].map((table) => sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get());
  expect(counts()).toEqual([{ n: created }, { n: created }, { n: created }]);
  sqlite.exec("PRAGMA max_page_count = 100000");
  expect(await create()).toMatchObject({ ok: true });
});

test("an import reports every later line without trying it, and accepts the lines once there is room [RG-203]", async () => {
  const { sqlite, parts } = smallDatabase();
  const lines = Array.from({ length: 600 }, (_, index) => ({ number: index + 1, text: JSON.stringify(body) }));
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const run = async () => {
    const reports = [];
    const request = { importId: "full", importer: "did:web:admin.test", dryRun: false, lines };
    for await (const chunk of runImport(parts, request, log)) reports.push(...chunk);
    return reports;
  };
  const refused = await run();
  expect(refused.map(({ line }) => line)).toEqual(lines.map(({ number }) => number));
  expect(new Set(refused.map((each) => ("code" in each ? each.code : each.status)))).toEqual(new Set(["storage_full"]));
  sqlite.exec("PRAGMA max_page_count = 100000");
  expect(new Set((await run()).map(({ status }) => status))).toEqual(new Set(["created"]));
});
