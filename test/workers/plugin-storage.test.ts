/**
 * Data that plugins store for a user, inside workerd: over RPC, an eviction and a kill, in the session's runs, in R2,
 * and erased.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { EXPIRED_AT_ONCE } from "../../durable-objects/user-vault/erasure.ts";
import { BLOB_KEY_BYTES, eraseBlobs } from "../../oracle/framework/plugin-blobs.ts";
import { KvLimitError } from "../../oracle/framework/storage.ts";
import { turn } from "../support/oracle/chat-turns.ts";
import { plugin, tool } from "../support/plugins/small-plugins.ts";
import { scriptOracle } from "../support/oracle/scripted-oracle.ts";
import { loseMemory, newSession } from "./chat-session/session-under-test.ts";
import { newUser, kvOf, tablesOf, blobsOf, textOf } from "../support/plugins/stored-values.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a value with an expiry [OR-607]", () => {
  const HOUR = 3_600_000;
  const ring = (did: string) => runDurableObjectAlarm(env.USER_VAULT.getByName(did));

  test("is deleted at its time with its blob; one that was set again stays", async () => {
    const did = newUser();
    const [kv, blobs] = [kvOf(did), blobsOf("notes", did)];
    const at = Date.now() + HOUR;
    expect(await kv.setIfAbsent("gone", 1, { at, blob: "large" })).toBe(true);
    expect(await kv.setIfAbsent("gone", 2, { at: at + HOUR })).toBe(false);
    await kv.setIfAbsent("later", 1, { at: at + HOUR });
    await kv.setIfAbsent("kept", 1, { at });
    await kv.set("kept", 2);
    await blobs.put("large", "x");
    await blobs.put("other", "x");
    vi.useFakeTimers({ toFake: ["Date"], now: at });
    await ring(did);
    expect(await kv.list()).toEqual({ keys: ["kept", "later"] });
    expect((await blobs.list()).keys).toEqual(["other"]);
    vi.setSystemTime(at + HOUR);
    await ring(did);
    expect(await kv.list()).toEqual({ keys: ["kept"] });
    expect(await ring(did)).toBe(false);
  });

  test("many are deleted over several alarms", async () => {
    const did = newUser();
    const kv = kvOf(did);
    const at = Date.now() + HOUR;
    for (let count = 0; count < EXPIRED_AT_ONCE + 1; count += 1) await kv.setIfAbsent(`k${count}`, 1, { at });
    vi.useFakeTimers({ toFake: ["Date"], now: at });
    await ring(did);
    expect((await kv.list()).keys).toHaveLength(1);
    await ring(did);
    expect((await kv.list()).keys).toEqual([]);
  });

  test("stays while R2 fails to delete its blob, and is deleted an hour later", async () => {
    const did = newUser();
    const kv = kvOf(did);
    const at = Date.now() + HOUR;
    await kv.setIfAbsent("a", 1, { at, blob: "large" });
    vi.useFakeTimers({ toFake: ["Date"], now: at });
    const failing = vi.spyOn(env.BLOBS, "delete").mockRejectedValueOnce(new Error("R2 is down"));
    await ring(did);
    failing.mockRestore();
    expect((await kv.list()).keys).toEqual(["a"]);
    vi.setSystemTime(at + HOUR);
    await ring(did);
    expect((await kv.list()).keys).toEqual([]);
  });
});

describe("ctx.kv", () => {
  test("survives an eviction and a kill between writes, totals included [OR-213]", async () => {
    const did = newUser();
    const kv = kvOf(did);
    await kv.set("a", { count: 1 });
    await evictDurableObject(env.USER_VAULT.getByName(did));
    await kv.set("b\ud800", ["🌱"]);
    await loseMemory();
    await kv.set("a", { count: 2 });
    expect(await kv.get("a")).toEqual({ count: 2 });
    expect(await kv.get("b\ud800")).toEqual(["🌱"]);
    expect(await kv.list()).toEqual({ keys: ["a", "b\ud800"] });
    const totals = await runInDurableObject(env.USER_VAULT.getByName(did), (_object, { storage }) =>
      storage.sql.exec("SELECT plugin, keys, bytes FROM plugin_totals").toArray(),
    );
    expect(totals).toEqual([{ plugin: "notes", keys: 2, bytes: 1 + 11 + (1 + 3) + 8 }]);
  });

  test("two plugins and two users each have their own value under one key [OR-211]", async () => {
    const [ada, bob] = [newUser(), newUser()];
    const kept = [kvOf(ada), kvOf(ada, "notes2"), kvOf(ada, "note"), kvOf(bob)];
    await Promise.all(kept.map((kv, index) => kv.set("key", index)));
    expect(await Promise.all(kept.map((kv) => kv.get("key")))).toEqual([0, 1, 2, 3]);
    await kvOf(ada).delete("key");
    expect(await Promise.all(kept.map((kv) => kv.list()))).toEqual([
      { keys: [] },
      { keys: ["key"] },
      { keys: ["key"] },
      { keys: ["key"] },
    ]);
  });

  test("concurrent writers leave exact totals, and share the limit of keys [OR-212, OR-213]", async () => {
    const did = newUser();
    await runInDurableObject(env.USER_VAULT.getByName(did), async (vault) => {
      for (let index = 0; index < 9_990; index += 1) await vault.setPluginValue("notes", `k${index}`, "1");
    });
    const [one, other] = [kvOf(did), kvOf(did)];
    const writes = Array.from({ length: 10 }, (_, index) => [one.set(`n${index}`, 1), other.set(`m${index}`, 1)]);
    const settled = await Promise.allSettled(writes.flat());
    const refused = settled.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    expect(refused).toHaveLength(10);
    for (const reason of refused) expect(reason).toBeInstanceOf(KvLimitError);
    expect(refused[0]).toMatchObject({ limit: "keys" });
    await Promise.all([one.set("k0", 2), other.set("k0", 3), other.delete("k1"), one.delete("k1")]);
    const [totals] = await runInDurableObject(env.USER_VAULT.getByName(did), (_object, { storage }) =>
      storage.sql
        .exec(
          `SELECT keys, bytes, (SELECT COUNT(*) FROM plugin_values) AS rows, (SELECT SUM(bytes) FROM plugin_values) AS held
           FROM plugin_totals`,
        )
        .toArray(),
    );
    expect(totals?.["keys"]).toBe(9_999);
    expect(totals).toMatchObject({ rows: totals?.["keys"], held: totals?.["bytes"] });
  });

  test("a store with a value never erases itself; without the last value it does [OR-149, OR-213]", async () => {
    const did = newUser();
    const kv = kvOf(did);
    await env.USER_VAULT.getByName(did).reserveRun("run", { turns: 1, tokens: 0 });
    // The count is written a moment later, or when the alarm runs.
    await runInDurableObject(env.USER_VAULT.getByName(did), (object) => object.alarm());
    await kv.set("k", 1);
    expect(await runDurableObjectAlarm(env.USER_VAULT.getByName(did))).toBe(true);
    expect(await kv.get("k")).toBe(1);
    await kv.delete("k");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 });
    expect(await runDurableObjectAlarm(env.USER_VAULT.getByName(did))).toBe(true);
    expect(await tablesOf(did)).toEqual([]);
  });

  test("a value of the maximum size is accepted, one byte more is not [OR-212]", async () => {
    const kv = kvOf(newUser());
    const largest = "x".repeat(262_142);
    await kv.set("k", largest);
    expect(await kv.get("k")).toBe(largest);
    await expect(kv.set("k", `${largest}x`)).rejects.toMatchObject({ name: "KvLimitError", limit: "value" });
  });

  test("an object whose memory is lost during a call is a clear error, and the next call works [OR-215]", async () => {
    const did = newUser();
    const kv = kvOf(did);
    await kv.set("k", 1);
    const broken = runInDurableObject(env.USER_VAULT.getByName(did), (_object, state) => state.abort("test"));
    const read = kv.get("k");
    const [aborted, lost] = await Promise.allSettled([broken, read]);
    expect(aborted.status).toBe("rejected");
    expect(lost).toMatchObject({
      reason: { message: "The user's storage could not be reached. Nothing was read." },
    });
    expect(await kv.get("k")).toBe(1);
  });

  test("is shared by every session of a user, in the tool of a turn [OR-211]", async () => {
    const counter = plugin("counter", {
      getTools: () => [
        tool("count", async (_args, { kv }) => {
          const count = Number((await kv.get("count")) ?? 0) + 1;
          await kv.set("count", count);
          return { count };
        }),
      ],
    });
    const call = [{ call: "count", input: {} }] as const;
    const did = newUser();
    const counts: unknown[] = [];
    for (const steps of [
      [call, ["one"]],
      [call, ["two"]],
    ]) {
      scriptOracle(steps, { plugins: [counter] });
      const session = await newSession("scripted", did);
      await session.chat.completeRun(did, turn("count"));
      counts.push(await kvOf(did, "counter").get("count"));
    }
    expect(counts).toEqual([1, 2]);
  });
});

describe("ctx.blobs", () => {
  test("a plugin reaches only its own part of the bucket, whatever its name and its keys [OR-216]", async () => {
    const [ada, bob] = [newUser(), newUser()];
    const blobs = blobsOf("a", ada);
    const others = [
      blobsOf("a", bob),
      blobsOf("b", ada),
      blobsOf(`a/${encodeURIComponent(ada)}`, ada),
      blobsOf(`a/${ada}`, "x"),
    ];
    await blobs.put("x/y", "mine");
    for (const [index, each] of others.entries()) await each.put("x/y", `other ${index}`);
    expect(await textOf(await blobs.get("x/y"))).toBe("mine");
    expect(await blobs.list()).toEqual({ keys: ["x/y"] });
    for (const key of [`../${encodeURIComponent(bob)}/x/y`, "../x/y", "/x/y", "x"]) {
      expect(await blobs.get(key)).toBeNull();
      expect((await blobs.list(key === "x" ? "y" : key)).keys).toEqual([]);
    }
    await blobs.delete("x/y");
    for (const [index, each] of others.entries()) expect(await textOf(await each.get("x/y"))).toBe(`other ${index}`);
    expect(await blobs.get("x/y")).toBeNull();
  });

  test("a key has 1 to 512 bytes of UTF-8 and no lone surrogates [OR-216]", async () => {
    expect(BLOB_KEY_BYTES).toBe(512);
    const blobs = blobsOf("notes", newUser());
    await blobs.put("é".repeat(256), new Uint8Array([1, 2]));
    expect((await blobs.list("é")).keys).toEqual(["é".repeat(256)]);
    for (const key of ["", "k".repeat(513), `${"é".repeat(256)}k`, "\ud800"])
      for (const call of [blobs.get(key), blobs.put(key, ""), blobs.delete(key)])
        await expect(call).rejects.toBeInstanceOf(KvLimitError);
  });

  test("a list continues with its cursor, and a cursor reaches nothing of another user [OR-216]", async () => {
    const [ada, bob] = [newUser(), newUser()];
    const blobs = blobsOf("pages", ada);
    const keys = Array.from({ length: 1_001 }, (_, index) => `é${String(index).padStart(4, "0")}`);
    for (let start = 0; start < keys.length; start += 100)
      await Promise.all(keys.slice(start, start + 100).map((key) => blobs.put(key, "")));
    await blobsOf("pages", bob).put("é0000", "");
    const first = await blobs.list("é");
    expect(first.keys).toEqual(keys.slice(0, 1_000));
    expect(await blobs.list("é", first.cursor)).toEqual({ keys: keys.slice(1_000) });
    expect((await blobsOf("pages", bob).list("", first.cursor)).keys).toEqual([]);
    for (const wrong of ["%", "%e9"])
      await expect(blobs.list("", wrong)).rejects.toThrow("The cursor must come from list()");
    await eraseBlobs(env.BLOBS, ada);
    expect((await blobs.list()).keys).toEqual([]);
    expect((await blobsOf("pages", bob).list()).keys).toEqual(["é0000"]);
  });

  test("a turn has them if the bucket is bound [OR-216]", async () => {
    const did = newUser();
    const writer = plugin("writer", {
      getTools: () => [tool("write", async (_args, { blobs }) => blobs?.put("note", "from the turn"))],
    });
    scriptOracle([[{ call: "write", input: {} }], ["done"]], { plugins: [writer] });
    const session = await newSession("scripted", did);
    await session.chat.completeRun(did, turn("write"));
    expect(await textOf(await blobsOf("writer", did).get("note"))).toBe("from the turn");
  });
});
