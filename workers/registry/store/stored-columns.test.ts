/** Damaged rows of the registry in a real database: missing facts are never guessed. */
import type { Database } from "../../../platform/database/database.ts";
import { describe, expect, test } from "vitest";
import { testDatabase } from "../../../test/support/storage/test-database.ts";
import { domainId, domainRecord } from "../../../test/support/registry/domain-records.ts";
import { freeMeter } from "../../../test/support/registry/unlimited-meter.ts";
import { registryInNode } from "../../../test/support/registry/registry-in-node.ts";
import { readUse, useStatements } from "./idempotency-store.ts";
import { domainRange } from "../lists/directory.ts";
import { listDomains } from "../lists/domain-page.ts";
import { readListQuery } from "../lists/domain-query.ts";
import { readChanges } from "./change-store.ts";
import { listHistory, readVersion } from "./history-store.ts";
import { insertKey, listKeys, readCredential, readKey, type KeyRecord } from "./key-store.ts";
import { loadEffective } from "./effective-domain.ts";

const key: KeyRecord = {
  id: "key-1",
  label: "a key",
  environment: "live",
  start: "abc",
  did: "did:key:owner",
  role: null,
  scopes: ["domains:read"],
  createdAt: 0,
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  replacedBy: null,
};

test.each(['"domains:write"', '["domains:everything"]', "{}"])("scopes %s authorise nothing", async (scopes) => {
  const database: Database = testDatabase();
  await insertKey(database, key, "hash");
  expect((await readCredential(database, "hash"))?.caller.scopes).toEqual(["domains:read"]);
  await database.prepare("UPDATE api_keys SET scopes = ?").bind(scopes).run();
  await expect(readCredential(database, "hash")).rejects.toThrow("a stored list of scopes is damaged");
  await expect(readKey(database, "key-1")).rejects.toThrow("a stored list of scopes is damaged");
});

test.each(['{"status":201}', '{"status":"201","headers":{},"body":""}'])(
  "a response %s is not replayed",
  async (answer) => {
    const database: Database = testDatabase();
    const slot = { did: "did:key:owner", method: "POST", path: "/v1/domains", key: "once" };
    const use = { fingerprint: "f", answer: { status: 201, headers: { ETag: "1" }, body: "{}" } };
    await database.batch([...useStatements(database, slot, use, { now: 0, expiresAt: 100 })]);
    expect(await readUse(database, slot, 1)).toEqual(use);
    await database.prepare("UPDATE idempotency SET answer = ?").bind(answer).run();
    await expect(readUse(database, slot, 1)).rejects.toThrow("a stored answer is damaged");
  },
);

describe("a domain", () => {
  test.each([
    ["controllers", '"did:key:thief"', "list of controllers"],
    ["controllers", "[1]", "list of controllers"],
    ["services", '{"reporting":{"enabled":"yes"}}', "state of services"],
    ["verified_content", '{"metadata":"x"}', "digest of content"],
    ["changed_since_verification", '"metadata"', "list of changed members"],
    ["metadata", "[]", "metadata"],
    ["document", '{"service":["x"]}', "document"],
    ["credentials", '[{"id":"x"}]', "credential"],
    ["accounts", '{"name":"x"}', "account"],
  ])("with %s %s is not read", async (column, value, what) => {
    const { d1, store } = registryInNode();
    await store(domainRecord(1));
    expect((await loadEffective(d1, [domainId(1)], 0))[0]?.domain).toEqual(domainRecord(1));
    await d1.prepare(`UPDATE domains SET ${column} = ?`).bind(value).run();
    await expect(loadEffective(d1, [domainId(1)], 0)).rejects.toThrow(`a stored ${what} is damaged`);
  });
});

describe("a damaged row", () => {
  const three = async () => {
    const registry = registryInNode();
    for (const at of [1, 2, 3]) await registry.store(domainRecord(at));
    return registry;
  };
  const others = [domainId(1), domainId(3)];
  const query = readListQuery(new URLSearchParams("sort=createdAt"));
  if (!query.ok) throw new Error(query.error.message);

  test("is skipped in lists, which continue after it", async () => {
    const { d1 } = await three();
    await d1.prepare("UPDATE domains SET metadata = '[]' WHERE id = ?").bind(domainId(2)).run();
    const ids = ({ domains }: { domains: readonly { id: string }[] }) => domains.map(({ id }) => id);
    expect(
      ids(await listDomains({ database: d1, meter: freeMeter() }, { query: query.value, limit: 5, after: undefined })),
    ).toEqual(others);
    const first = await listDomains(
      { database: d1, meter: freeMeter() },
      { query: query.value, limit: 2, after: undefined },
    );
    expect([
      ids(first),
      ids(await listDomains({ database: d1, meter: freeMeter() }, { query: query.value, limit: 2, after: first.next })),
    ]).toEqual([[domainId(1)], [domainId(3)]]);
    const ranged = await domainRange(d1, { offset: 0, limit: 5, reverse: false, count: true });
    expect([ranged.records.map(({ id }) => id), ranged.total]).toEqual([others, 3]);
    const loaded = await loadEffective(d1, [1, 2, 3].map(domainId), 0);
    expect(loaded.map(({ domain }) => domain.id).toSorted()).toEqual(others);
  });

  test("of the history fails with its name, and the change feed continues without its changes", async () => {
    const { d1 } = await three();
    await d1.prepare("UPDATE domain_history SET snapshot = '[1]' WHERE domain_id = ?").bind(domainId(2)).run();
    const page = { before: undefined, limit: 5 };
    await expect(listHistory(d1, domainId(2), page)).rejects.toThrow("a stored version of a domain is damaged");
    await expect(readVersion(d1, domainId(2), { version: 1 })).rejects.toThrow("version of a domain is damaged");
    expect((await listHistory(d1, domainId(1), page)).entries).toHaveLength(1);
    const { changes } = await readChanges(d1, 0, 10);
    expect(changes.map(({ domainId: id, changes: made }) => [id, made.length > 0])).toEqual([
      [domainId(1), true],
      [domainId(2), false],
      [domainId(3), true],
    ]);
  });

  test("of API keys is skipped in their list, and the page is still full", async () => {
    const database: Database = testDatabase();
    for (const at of [1, 2, 3]) await insertKey(database, { ...key, id: `key-${at}`, createdAt: at }, `hash-${at}`);
    await database.prepare("UPDATE api_keys SET scopes = '{}' WHERE id = 'key-2'").run();
    const listed = await listKeys(database, { did: null, states: [] }, { position: null, limit: 2, now: 5 });
    expect(listed.map(({ id }) => id)).toEqual(["key-3", "key-1"]);
  });
});
