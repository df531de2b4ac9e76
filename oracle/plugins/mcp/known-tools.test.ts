/** The limits of caching: lists by time, sessions by number, and the time limit of a call. */
import { expect, test } from "vitest";
import { createPluginValues } from "../../../durable-objects/user-vault/plugin-values.ts";
import { createUserVaultSchema } from "../../../durable-objects/user-vault/schema.ts";
import { createSqliteStorage } from "../../../test/support/storage/sqlite-storage.ts";
import { createPluginKv, type PluginValueCalls } from "../../framework/storage.ts";
import { success } from "../../../platform/result.ts";
import { MAX_KNOWN_SESSIONS, withoutChanged } from "./known-tools.ts";
import { CALL_MS } from "./tool-call.ts";
import { DEFAULT_LIST_TTL_MS, expiryOf, MAX_LIST_TTL_MS } from "./tool-lists.ts";

function createKv() {
  const storage = createSqliteStorage();
  const values = createPluginValues(storage, createUserVaultSchema(storage));
  return createPluginKv(
    () =>
      ({
        getPluginValue: async (...args) => values.get(...args),
        setPluginValue: async (...args) => values.set(...args),
        addPluginValue: async () => success(true),
        deletePluginValue: async (...args) => values.delete(...args),
        listPluginKeys: async (...args) => values.list(...args),
      }) satisfies PluginValueCalls,
    "mcp",
  );
}

const listing = (hash: string) => [
  {
    server: "s",
    tools: [
      {
        name: "t",
        modelName: "s__t",
        hash,
        definition: { name: "t", inputSchema: { type: "object" } },
      } as const,
    ],
  },
];

test("the 1,000 newest sessions of a user are remembered [OR-287]", async () => {
  expect(MAX_KNOWN_SESSIONS).toBe(1_000);
  const kv = createKv();
  for (let index = 0; index < 1_000; index += 1) await withoutChanged(kv, `session-${index}`, listing("1"));
  expect((await withoutChanged(kv, "session-0", listing("2"))).changed).toEqual(["s__t"]);
  await withoutChanged(kv, "session-1000", listing("1"));
  expect((await withoutChanged(kv, "session-0", listing("2"))).changed).toEqual([]);
  // This session counted as new, so another one was forgotten.
  expect((await withoutChanged(kv, "session-2", listing("2"))).servers[0]?.tools).toEqual([]);
});

test("a list is valid for its server's TTL, up to a day, or for a minute [OR-283]", () => {
  expect([DEFAULT_LIST_TTL_MS, MAX_LIST_TTL_MS]).toEqual([60_000, 86_400_000]);
  for (const [ttlMs, expiresAt] of [
    [undefined, 60_005],
    [0, 5],
    [-1, 5],
    [10, 15],
    [86_400_001, 86_400_005],
  ] as const)
    expect(expiryOf(5, ttlMs)).toBe(expiresAt);
});

test("a call has 60 seconds [OR-291]", () => {
  expect(CALL_MS).toBe(60_000);
});
