/** The bytes of a domain and of a version in D1, measured in the pages of SQLite. */
import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { d1Over, registryMigrations, sqliteWith } from "../../../test/support/storage/sqlite-database.ts";
import { changeDomain, storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { updateDomain } from "../domain/update.ts";
import { listHistory, readVersion } from "./history-store.ts";
import { mergeSearch } from "./search-merging.ts";

const parsed = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!parsed.ok) throw new Error("the configuration of the test is wrong");
const config = parsed.value;
const did = `did:ixo:ixo1${"q".repeat(38)}0`;
const caller = { keyId: "k", did, role: null, scopes: ["registry:admin", "domains:write"] } as const;
const DOMAINS = 500;

const SYLLABLES = ["ka", "lo", "mi", "ne", "ru", "sa", "to", "vi", "wa", "ze", "ba", "du", "fe", "go", "hi", "ju"];

/** Equal numbers at each run, so that the bytes are equal too. */
function numbers(): () => number {
  let seed = 12_345;
  return () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Texts of a vocabulary in which few words are frequent. */
function texts(): (words: number) => string {
  const next = numbers();
  const pick = <Item>(items: readonly Item[], share: number): Item | undefined =>
    items[Math.floor(items.length * share)];
  const list = <Item>(length: number, item: () => Item): readonly Item[] => Array.from({ length }, item);
  const vocabulary = list(2_000, () => list(2 + Math.floor(3 * next()), () => pick(SYLLABLES, next())).join(""));
  return (words) => list(words, () => pick(vocabulary, next() ** 2)).join(" ");
}

function registry() {
  const sqlite = sqliteWith(registryMigrations);
  const database = d1Over(sqlite);
  let now = Date.parse("2026-11-21T09:00:00Z");
  const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  const parts = { database, clock: () => (now += 977), randomBytes, config };
  const text = texts();
  const device = (number: number) => ({
    type: "asset/device",
    class: `did:ixo:entity:${"c".repeat(31)}${number % 7}`,
    metadata: { name: `Stove ${number}`, serial: `SN-${100_000 + number}`, description: text(20) },
    externalId: `serial-${number}`,
    controllers: [did, `did:ixo:ixo1programme${number % 20}`],
    owner: did,
  });
  async function create(number: number): Promise<string> {
    const made = await storeNewDomain(parts, { body: device(number), creator: caller, extra: () => [] });
    if (!made.ok) throw new Error(made.error.message);
    return made.value.id;
  }
  async function edit(id: string, metadata: () => Record<string, string>): Promise<void> {
    const changed = await changeDomain(parts, {
      id,
      caller,
      precondition: () => undefined,
      step: (domain, at) =>
        updateDomain(
          domain,
          { metadata: { ...domain.metadata, ...metadata() } },
          { actor: caller, at, materialFields: [] },
        ),
    });
    if (!changed.ok) throw new Error(changed.error.message);
  }
  return { sqlite, database, text, create, edit };
}

/** Bytes of the pages of these tables and indexes. */
function bytesOf(sqlite: DatabaseSync, names: string): number {
  return Number(sqlite.prepare("SELECT total(pgsize) AS bytes FROM dbstat WHERE name GLOB ?").get(names)?.["bytes"]);
}

test("a new domain takes 4 KB, and a later version takes its change plus 0.4 KB [RG-305]", async () => {
  const { sqlite, text, create, edit } = registry();
  const size = (): number => bytesOf(sqlite, "*") - bytesOf(sqlite, "domain_search*");
  const [empty, emptySearch] = [size(), bytesOf(sqlite, "domain_search*")];
  const ids: string[] = [];
  for (let number = 0; number < DOMAINS; number += 1) ids.push(await create(number));
  const made = size();
  expect((made - empty) / DOMAINS).toBeLessThan(2_700);
  expect((bytesOf(sqlite, "domain_search*") - emptySearch) / DOMAINS).toBeLessThan(1_500);
  // In addition to the text before and after the change.
  let said = 0;
  const description = () => {
    const words = text(20);
    said += 2 * words.length;
    return { description: words };
  };
  for (let round = 0; round < 3; round += 1) for (const id of ids) await edit(id, description);
  expect((size() - made - said) / DOMAINS / 3).toBeLessThan(480);
}, 60_000);

test("merging keeps the words of earlier versions out of the full-text index [RG-306]", async () => {
  const { sqlite, database, text, create, edit } = registry();
  const ids: string[] = [];
  for (let number = 0; number < 200; number += 1) ids.push(await create(number));
  const before = bytesOf(sqlite, "domain_search_data");
  const found = (word: string) =>
    sqlite.prepare("SELECT rowid FROM domain_search WHERE domain_search MATCH ? ORDER BY rowid").all(word).length;
  for (let round = 0; round < 8; round += 1) {
    for (const id of ids) await edit(id, () => ({ description: `${text(20)} round${round}` }));
    expect(found(`round${Math.max(0, round - 1)}`)).toBe(round === 0 ? 200 : 0);
    await mergeSearch(database);
    expect([found(`round${round}`), found(`round${round + 1}`), found("stove")]).toEqual([200, 0, 200]);
  }
  expect(bytesOf(sqlite, "domain_search_data")).toBeLessThan(3 * before);
}, 60_000);

test("the oldest of a thousand versions is rebuilt from at most 32 rows [RG-270]", async () => {
  const { sqlite, database, create, edit } = registry();
  const id = await create(0);
  for (let version = 2; version <= 1_000; version += 1) await edit(id, () => ({ description: `edit ${version}` }));
  const { record } = (await readVersion(database, id, { version: 1 })) ?? {};
  expect(record?.version).toBe(1);
  const read = sqlite.prepare(
    `SELECT count(*) AS rows FROM domain_history WHERE domain_id = ? AND version <= (
       SELECT min(version) FROM domain_history WHERE domain_id = ? AND length(snapshot) > 2)`,
  );
  expect(read.get(id, id)).toEqual({ rows: 32 });
  expect((await listHistory(database, id, { before: undefined, limit: 100 })).entries).toHaveLength(100);
}, 60_000);
