/** `ctx.kv` over a user's store in Node: values, refusals as errors, cursors, and calls lost in transit. */
import { expect, test } from "vitest";
import { createPluginValues } from "../../durable-objects/user-vault/plugin-values.ts";
import { createUserVaultSchema } from "../../durable-objects/user-vault/schema.ts";
import { createSqliteStorage } from "../../test/support/storage/sqlite-storage.ts";
import { success } from "../../platform/result.ts";
import { createPluginKv, type PluginValueCalls, KvLimitError } from "./storage.ts";

function setUp(plugin = "notes") {
  const storage = createSqliteStorage();
  const values = createPluginValues(storage, createUserVaultSchema(storage));
  const calls: string[] = [];
  const noted = <Value>(call: string, value: Value): Promise<Value> => {
    calls.push(call);
    // Plain data, as it is passed to another object.
    return Promise.resolve(structuredClone(value));
  };
  const store: PluginValueCalls = {
    getPluginValue: (...args) => noted("get", values.get(...args)),
    setPluginValue: (...args) => noted("set", values.set(...args)),
    addPluginValue: (plugin, key, value) => {
      const isNew = values.get(plugin, key) === null;
      const stored = isNew ? values.set(plugin, key, value) : success(null);
      return noted("add", stored.ok ? success(isNew) : stored);
    },
    deletePluginValue: (...args) => noted("delete", values.delete(...args)),
    listPluginKeys: (...args) => noted("list", values.list(...args)),
  };
  return { kv: createPluginKv(() => store, plugin), calls };
}

test("returns a value as it was set, with one call each [OR-211]", async () => {
  const { kv, calls } = setUp();
  expect(await kv.get("k")).toBeUndefined();
  for (const value of [null, false, 0, "", [], {}, { a: [1, "\ud800", { "\0": null }] }]) {
    await kv.set("k", value);
    expect(await kv.get("k")).toEqual(value);
  }
  expect(await kv.delete("k")).toBe(true);
  expect(await kv.delete("k")).toBe(false);
  expect(await kv.get("k")).toBeUndefined();
  expect(calls).toHaveLength(1 + 7 * 2 + 2 + 1);
});

test("a value over a limit is a KvLimitError that names the limit; an oversized key or value is never sent [OR-212]", async () => {
  const { kv, calls } = setUp();
  const long = "k".repeat(513);
  for (const call of [kv.get(long), kv.set(long, 1), kv.delete(long), kv.list(long), kv.get("")])
    await expect(call).rejects.toMatchObject({ name: "KvLimitError", limit: "key" });
  const tooLarge = kv.set("k", "x".repeat(262_143));
  await expect(tooLarge).rejects.toBeInstanceOf(KvLimitError);
  await expect(tooLarge).rejects.toMatchObject({ limit: "value" });
  expect(calls).toEqual([]);
  await kv.set("k", "x".repeat(262_142));
  for (let index = 1; index < 10_000; index += 1) await kv.set(String(index), 1);
  const oneMore = kv.set("one more", 1);
  await expect(oneMore).rejects.toBeInstanceOf(KvLimitError);
  await expect(oneMore).rejects.toMatchObject({ limit: "keys" });
});

test("accepts only JSON values", async () => {
  const { kv } = setUp();
  await expect(kv.set("k", undefined as never)).rejects.toThrow(TypeError);
  await expect(kv.set("k", 1n as never)).rejects.toThrow(TypeError);
  expect(await kv.get("k")).toBeUndefined();
});

test("a value stored only when absent stays the first caller's, within the limits [OR-211]", async () => {
  const { kv, calls } = setUp();
  expect(await Promise.all([kv.setIfAbsent("k", 1), kv.setIfAbsent("k", 2)])).toEqual([true, false]);
  expect(await kv.get("k")).toBe(1);
  expect(calls).toEqual(["add", "add", "get"]);
  await expect(kv.setIfAbsent("", 1)).rejects.toBeInstanceOf(KvLimitError);
  expect(calls).toHaveLength(3);
});

test("a list continues from its cursor, and refuses a cursor of another list [OR-214]", async () => {
  const { kv } = setUp();
  const keys = Array.from({ length: 1_001 }, (_, index) => `k${String(index).padStart(4, "0")}\ud800/🌱`);
  for (const key of keys) await kv.set(key, 1);
  const first = await kv.list("k");
  expect(first.keys).toEqual(keys.slice(0, 1_000));
  expect(first.cursor).toMatch(/^[0-9a-f]+$/);
  expect(await kv.list("k", first.cursor)).toEqual({ keys: keys.slice(1_000) });
  expect(await kv.list("x")).toEqual({ keys: [] });
  for (const wrong of ["", "k0000", "00", "zzzz"]) await expect(kv.list("k", wrong)).rejects.toThrow(/cursor/);
  await expect(kv.list("", "0000".repeat(513))).rejects.toBeInstanceOf(KvLimitError);
});

test("an unreachable object is a clear error: nothing was read, or the outcome of a write is unknown [OR-215]", async () => {
  const cause = new Error("Network connection lost.");
  const lost = (): Promise<never> => Promise.reject(cause);
  const kv = createPluginKv(
    () => ({
      getPluginValue: lost,
      setPluginValue: lost,
      addPluginValue: lost,
      deletePluginValue: lost,
      listPluginKeys: lost,
    }),
    "notes",
  );
  for (const read of [kv.get("k"), kv.list()])
    await expect(read).rejects.toMatchObject({
      message: "The user's storage could not be reached. Nothing was read.",
      cause,
    });
  for (const write of [kv.set("k", 1), kv.setIfAbsent("k", 1), kv.delete("k")])
    await expect(write).rejects.toThrow("Whether the change was stored is unknown.");
});

test("takes a new stub for each call: a stub stays broken after its object is lost [OR-215]", async () => {
  let taken = 0;
  const kv = createPluginKv(() => {
    taken += 1;
    return {
      getPluginValue: async () => (taken === 1 ? Promise.reject(new Error("lost")) : "7"),
    } as unknown as PluginValueCalls;
  }, "notes");
  await expect(kv.get("k")).rejects.toThrow("could not be reached");
  expect(await kv.get("k")).toBe(7);
});
