/**
 * Stored values of plugins, over real SQL: every limit at its edge, totals after any sequence of changes, order and
 * pages.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import {
  KV_KEY_LENGTH,
  KV_KEYS_PER_PLUGIN,
  KV_PAGE_SIZE,
  KV_USER_BYTES,
  KV_VALUE_BYTES,
} from "../../oracle/framework/storage.ts";
import { success } from "../../platform/result.ts";
import { createPluginValues } from "./plugin-values.ts";
import { createUserVaultSchema } from "./schema.ts";

const STORED = success(null);

function setUp() {
  const storage = createSqliteStorage();
  const schema = createUserVaultSchema(storage);
  const values = createPluginValues(storage, schema);
  return {
    values,
    storage,
    totals() {
      schema.prepare();
      const rows = storage.database.prepare("SELECT plugin, keys, bytes FROM plugin_totals").all();
      return Object.fromEntries(rows.map(({ plugin, keys, bytes }) => [String(plugin), [keys, bytes]]));
    },
  };
}

/** JSON with exactly this many bytes. */
function json(bytes: number): string {
  return JSON.stringify("x".repeat(bytes - 2));
}

function limitOf(result: ReturnType<ReturnType<typeof setUp>["values"]["set"]>): string | undefined {
  return result.ok ? undefined : result.error.limit;
}

describe("limits [OR-212]", () => {
  test("have these values", () => {
    expect([KV_KEY_LENGTH, KV_VALUE_BYTES, KV_KEYS_PER_PLUGIN, KV_USER_BYTES, KV_PAGE_SIZE]).toEqual([
      512, 262_144, 10_000, 33_554_432, 1_000,
    ]);
  });

  test("a key has 1 to 512 UTF-16 units", () => {
    const { values } = setUp();
    expect(values.set("a", "k".repeat(512), "1")).toEqual(STORED);
    expect(limitOf(values.set("a", "k".repeat(513), "1"))).toBe("key");
    expect(limitOf(values.set("a", "", "1"))).toBe("key");
    expect(values.set("a", "🌱".repeat(256), "1")).toEqual(STORED);
    expect(limitOf(values.set("a", `${"🌱".repeat(256)}k`, "1"))).toBe("key");
  });

  test("a value has 262,144 bytes of JSON, not characters", () => {
    const { values } = setUp();
    expect(values.set("a", "k", json(262_144))).toEqual(STORED);
    expect(limitOf(values.set("a", "k", json(262_145)))).toBe("value");
    expect(values.set("a", "k", JSON.stringify("é".repeat(131_071)))).toEqual(STORED);
    expect(limitOf(values.set("a", "k", JSON.stringify(`${"é".repeat(131_071)}x`)))).toBe("value");
    expect(values.get("a", "k")).toBe(JSON.stringify("é".repeat(131_071)));
  });

  test("a plugin has 10,000 keys; each plugin has its own limit, and a deleted key makes room", () => {
    const { values } = setUp();
    for (let index = 0; index < 10_000; index += 1) values.set("a", String(index), "1");
    expect(limitOf(values.set("a", "one more", "1"))).toBe("keys");
    expect(values.get("a", "one more")).toBeNull();
    expect(values.set("a", "0", '"overwritten"')).toEqual(STORED);
    expect(values.set("b", "0", "1")).toEqual(STORED);
    expect(values.delete("a", "5")).toBe(true);
    expect(values.set("a", "one more", "1")).toEqual(STORED);
    expect(limitOf(values.set("a", "5", "1"))).toBe("keys");
  });

  test("a user has 33,554,432 bytes over all plugins, keys included", () => {
    const { values, totals } = setUp();
    // 127 entries of 262,146 bytes with their two-byte keys, and the rest to the last byte.
    for (let index = 0; index < 127; index += 1)
      values.set(index % 2 === 0 ? "a" : "b", String.fromCharCode(0xe0 + index), json(262_144));
    const left = 33_554_432 - 127 * 262_146;
    expect(values.set("b", "k", json(left - 1))).toEqual(STORED);
    expect(Object.values(totals()).reduce((sum, [, bytes]) => sum + Number(bytes), 0)).toBe(33_554_432);
    expect(limitOf(values.set("c", "x", "1"))).toBe("user");
    expect(limitOf(values.set("b", "k", json(left)))).toBe("user");
    expect(values.get("b", "k")).toBe(json(left - 1));
    // A change that does not add bytes is allowed.
    expect(values.set("b", "k", json(left - 2))).toEqual(STORED);
    expect(limitOf(values.set("c", "x", "1"))).toBe("user");
    expect(values.set("b", "k", json(left - 3))).toEqual(STORED);
    expect(values.set("c", "x", "1")).toEqual(STORED);
  });
});

test("totals are exact after any sequence of writes, overwrites and deletions of two plugins [OR-213]", () => {
  const plugin = fc.constantFrom("a", "b");
  const key = fc.constantFrom("k", "é", "\ud800", "🌱");
  const change = fc.oneof(
    fc.record({ plugin, key, value: fc.string().map((text) => JSON.stringify(text)) }),
    fc.record({ plugin, key, value: fc.constant(undefined) }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const { values, totals } = setUp();
      const expected = new Map<string, string>();
      for (const { plugin, key, value } of changes) {
        const [made, foreseen] =
          value === undefined
            ? [values.delete(plugin, key), expected.delete(plugin + key)]
            : [values.set(plugin, key, value).ok, expected.set(plugin + key, value).size > 0];
        expect(made).toBe(foreseen);
      }
      const size = (text: string) => new TextEncoder().encode(text).byteLength;
      for (const plugin of ["a", "b"]) {
        const own = [...expected].filter(([name]) => name.startsWith(plugin));
        const bytes = own.reduce((sum, [name, value]) => sum + size(name.slice(1)) + size(value), 0);
        expect(totals()[plugin]).toEqual(own.length === 0 ? undefined : [own.length, bytes]);
        for (const [name, value] of own) expect(values.get(plugin, name.slice(1))).toBe(value);
      }
    }),
  );
});

describe("a list [OR-214]", () => {
  test("is ordered by UTF-16 units, whatever the keys contain", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 4 })),
        fc.string({ unit: "binary", maxLength: 2 }),
        (keys, prefix) => {
          const { values } = setUp();
          for (const key of keys) values.set("a", key, "1");
          // The order of `<` on texts.
          const sorted = keys.filter((key) => key.startsWith(prefix)).toSorted((one, other) => (one < other ? -1 : 1));
          expect(values.list("a", prefix, undefined)).toEqual({ keys: sorted });
          for (const after of sorted.slice(0, 3))
            expect(values.list("a", prefix, after).keys).toEqual(sorted.filter((key) => key > after));
        },
      ),
    );
  });

  test("orders surrogates before U+E000, handles NUL and lone surrogates, and ends a prefix at its last unit", () => {
    const { values } = setUp();
    const keys = [
      "a",
      "a\0",
      "a\0b",
      "ab",
      "b",
      "\u00ff",
      "\u00ff\uffff",
      "\u0100",
      "\ud800",
      "🌱",
      "\udfff",
      "\ue000",
    ];
    for (const key of keys.toReversed()) values.set("a", key, JSON.stringify(key));
    expect(values.list("a", "", undefined).keys).toEqual(keys);
    expect(values.list("a", "a", undefined).keys).toEqual(["a", "a\0", "a\0b", "ab"]);
    expect(values.list("a", "\u00ff", undefined).keys).toEqual(["\u00ff", "\u00ff\uffff"]);
    expect(values.list("a", "\u00ff\uffff", undefined).keys).toEqual(["\u00ff\uffff"]);
    expect(values.list("a", "\uffff", undefined).keys).toEqual([]);
    for (const key of keys) expect(values.get("a", key)).toBe(JSON.stringify(key));
  });

  test("has 1,000 keys per page and continues after the last one, even if that was deleted", () => {
    const { values } = setUp();
    const keys = Array.from({ length: 2_000 }, (_, index) => String(index).padStart(4, "0"));
    for (const key of keys) values.set("a", key, "1");
    const first = values.list("a", "", undefined);
    expect(first).toEqual({ keys: keys.slice(0, 1_000), after: "0999" });
    values.delete("a", "0999");
    expect(values.list("a", "", first.after)).toEqual({ keys: keys.slice(1_000) });
    values.set("a", "2000", "1");
    expect(values.list("a", "", first.after)).toEqual({ keys: keys.slice(1_000), after: "1999" });
    expect(values.list("a", "1", "0999").keys).toHaveLength(1_000);
  });

  test("reads a page as one range of the index", () => {
    const { values, storage } = setUp();
    values.set("a", "k", "1");
    const [plan] = storage.database
      .prepare(
        "EXPLAIN QUERY PLAN SELECT key FROM plugin_values WHERE plugin = ? AND key >= ? AND key > ? AND key < ? ORDER BY key LIMIT ?",
      )
      .all("a", "", "", "", 1);
    expect(plan?.["detail"]).toMatch(/COVERING INDEX .*\(plugin=\? AND key>\? AND key<\?\)/);
  });
});

test("a plugin finds no value of another plugin, even if their names share a prefix [OR-211]", () => {
  const { values } = setUp();
  for (const plugin of ["a", "ab", "a/b", "a\0", "A"]) values.set(plugin, "k", JSON.stringify(plugin));
  for (const plugin of ["a", "ab", "a/b", "a\0", "A"]) {
    expect(values.get(plugin, "k")).toBe(JSON.stringify(plugin));
    expect(values.list(plugin, "", undefined)).toEqual({ keys: ["k"] });
  }
  expect(values.get("b", "k")).toBeNull();
  expect(values.get("", "ak")).toBeNull();
  values.delete("a", "k");
  expect(values.get("ab", "k")).toBe('"ab"');
});

test("reading a store that was never written to stores nothing", () => {
  const { values, storage } = setUp();
  expect(values.get("a", "k")).toBeNull();
  expect(values.delete("a", "k")).toBe(false);
  expect(values.list("a", "", undefined)).toEqual({ keys: [] });
  expect(limitOf(values.set("a", "", "1"))).toBe("key");
  expect(storage.database.prepare("SELECT 1 FROM sqlite_master").all()).toEqual([]);
});
