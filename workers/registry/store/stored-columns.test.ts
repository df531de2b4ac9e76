/** Rows of the registry that were damaged, in real SQLite: what decides something is not guessed. */
import { describe, expect, test } from "vitest";
import { createSqliteDatabase } from "../../../test/support/sqlite-database.ts";
import { domainId, domainRecord } from "../../../test/support/domain-records.ts";
import { registryInNode } from "../../../test/support/registry-in-node.ts";
import { readUse, useStatements } from "./idempotency-store.ts";
import { insertKey, readCredential, readKey, type KeyRecord } from "./key-store.ts";
import { loadEffective } from "./effective-domain.ts";

const MIGRATIONS = ["0002_registry.sql", "0006_registry_verification.sql"];

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

test.each(['"domains:write"', '["domains:everything"]', "{}"])("scopes %s admit nobody", async (scopes) => {
  const database = createSqliteDatabase(MIGRATIONS);
  await insertKey(database, key, "hash");
  expect((await readCredential(database, "hash"))?.caller.scopes).toEqual(["domains:read"]);
  await database.prepare("UPDATE api_keys SET scopes = ?").bind(scopes).run();
  await expect(readCredential(database, "hash")).rejects.toThrow("a stored list of scopes is damaged");
  await expect(readKey(database, "key-1")).rejects.toThrow("a stored list of scopes is damaged");
});

test.each(['{"status":201}', '{"status":"201","headers":{},"body":""}'])(
  "an answer %s is not sent again",
  async (answer) => {
    const database = createSqliteDatabase(MIGRATIONS);
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
  ])("whose %s is %s is not read", async (column, value, what) => {
    const { d1, store } = registryInNode();
    store(domainRecord(1));
    expect((await loadEffective(d1, [domainId(1)], 0))[0]?.domain).toEqual(domainRecord(1));
    await d1.prepare(`UPDATE domains SET ${column} = ?`).bind(value).run();
    await expect(loadEffective(d1, [domainId(1)], 0)).rejects.toThrow(`a stored ${what} is damaged`);
  });
});
