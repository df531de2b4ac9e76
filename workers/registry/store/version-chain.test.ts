/** The history as differences: every version is rebuilt byte for byte from bounded rows. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import type { JsonObject } from "../../../platform/json.ts";
import { changeDomain, storeNewDomain } from "../commands/change-domain.ts";
import { parseRegistryConfig } from "../config.ts";
import { updateDomain } from "../domain/update.ts";
import { newestChange, readChanges, readClasses } from "./change-store.ts";
import { readDomain } from "./domain-rows.ts";
import { listHistory, readVersion } from "./history-store.ts";
import { readSnapshot } from "./stored-columns.ts";
import { DIFFERENCE_CHARACTERS, SNAPSHOT_EVERY } from "./version-chain.ts";

const parsed = parseRegistryConfig({ ENVIRONMENT: "test" });
if (!parsed.ok) throw new Error("the configuration of the test is wrong");
const config = parsed.value;
const caller = {
  keyId: "k",
  did: "did:web:chain.test",
  role: null,
  scopes: ["registry:admin", "domains:write"],
} as const;
const database = testDatabase();
let now = Date.parse("2026-11-21T09:00:00Z");
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count));
const parts = { database, clock: () => (now += 7), randomBytes, config };

async function create(body: JsonObject): Promise<string> {
  const made = await storeNewDomain(parts, {
    body: { type: "Project", class: "did:ixo:p:x", ...body },
    creator: caller,
    extra: () => [],
  });
  if (!made.ok) throw new Error(made.error.message);
  return made.value.id;
}

async function edit(id: string, body: JsonObject): Promise<void> {
  const made = await changeDomain(parts, {
    id,
    caller,
    precondition: () => undefined,
    step: (domain, at) => updateDomain(domain, body, { actor: caller, at, materialFields: [] }),
  });
  if (!made.ok) throw new Error(made.error.message);
}

/** The whole record as text, in the order in which readers of a snapshot get it. */
async function newest(id: string): Promise<string> {
  return JSON.stringify(readSnapshot(JSON.stringify(await readDomain(database, id))));
}

async function textOf(id: string, version: number): Promise<string> {
  const found = await readVersion(database, id, { version });
  return JSON.stringify(found?.record);
}

const names = fc.constantFrom("name", "a", "b", "toString", "a/b", "~c", "10", "2");
const leaf = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }), fc.dictionary(names, leaf, { maxKeys: 4 }));
const metadata = fc
  .array(fc.tuple(names, value), { maxLength: 5 })
  .map((pairs) => Object.fromEntries(pairs) as JsonObject);
const edits = fc.oneof(
  metadata.map((each) => ({ metadata: each })),
  fc.constantFrom("did:ixo:p:x", "did:ixo:p:y", "did:ixo:p:z").map((each) => ({ class: each })),
  fc.constantFrom("suspended", "active").map((status) => ({ status })),
  fc
    .uniqueArray(fc.constantFrom("did:web:a.test", "did:web:b.test", "did:web:chain.test"), { minLength: 1 })
    .map((controllers) => ({ controllers })),
  fc.uniqueArray(fc.constantFrom("#a", "#b", "#c")).map((ids) => ({
    document: { service: ids.map((id) => ({ id, type: "T", serviceEndpoint: `https://${id.slice(1)}.test` })) },
  })),
  fc.constantFrom(10, 3_000, 9_000).map((length) => ({ metadata: { text: "水".repeat(length / 3) } })),
);

test("any sequence of edits gives back each version byte for byte, and the class of each change [RG-270]", async () => {
  await fc.assert(
    fc.asyncProperty(metadata, fc.array(edits, { minLength: 1, maxLength: 80 }), async (first, sequence) => {
      const after = await newestChange(database);
      const id = await create({ metadata: first });
      const texts = new Map<number, string>();
      const note = async () => {
        const text = await newest(id);
        texts.set((JSON.parse(text) as { version: number }).version, text);
      };
      await note();
      for (const each of sequence) {
        await edit(id, each);
        await note();
      }
      for (const [version, text] of texts) expect(await textOf(id, version)).toBe(text);
      const { changes } = await readChanges(database, after, 500);
      const classes = await readClasses(database, changes);
      for (const { seq, version } of changes) {
        expect(classes.get(seq)).toBe((JSON.parse(texts.get(version) ?? "{}") as { class?: string }).class);
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);

test("a new domain stores no copy, and every 32nd version or a large difference stores one [RG-271]", async () => {
  const id = await create({ metadata: { name: "first" } });
  for (let version = 2; version <= 2 * SNAPSHOT_EVERY + 1; version += 1)
    await edit(id, { metadata: { name: `v${version}` } });
  const copies = async () => {
    const { results } = await database
      .prepare("SELECT version FROM domain_history WHERE domain_id = ? AND length(snapshot) > 2 ORDER BY version")
      .bind(id)
      .all();
    return results.map(({ version }) => version);
  };
  expect(await copies()).toEqual([SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY]);
  await edit(id, { metadata: { name: "x".repeat(DIFFERENCE_CHARACTERS) } });
  expect(await copies()).toEqual([SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY + 1]);
  const [first] = (await listHistory(database, id, { before: 2, limit: 5 })).entries;
  expect(first?.changes).toContainEqual({ path: "/metadata", from: null, to: { name: "first" } });
});

test("a version that cannot be rebuilt is reported as damaged [RG-271]", async () => {
  const id = await create({});
  await edit(id, { metadata: { name: "second" } });
  await database.prepare("UPDATE domain_history SET undo = NULL WHERE domain_id = ?").bind(id).run();
  await expect(readVersion(database, id, { version: 1 })).rejects.toThrow("a stored version of a domain is damaged");
});

test("a page of the change feed counts the differences from which first versions are rebuilt [RG-271]", async () => {
  const after = await newestChange(database);
  const ids: string[] = [];
  for (let made = 0; made < 4; made += 1) ids.push(await create({ metadata: { name: "first" } }));
  const one = await readChanges(database, after, 500);
  expect(one.changes.map(({ domainId }) => domainId)).toEqual(ids);
  // As after 30 edits of the largest differences, a hundred times over.
  await database
    .prepare("UPDATE domain_history SET undo = ? WHERE domain_id IN (SELECT value FROM json_each(?))")
    .bind(`{"padding":"${"x".repeat(1_500_000)}"}`, JSON.stringify(ids))
    .run();
  expect((await readChanges(database, after, 500)).changes.map(({ domainId }) => domainId)).toEqual(ids.slice(0, 2));
});
