/** Texts of plugins inside workerd: over RPC, an eviction and a kill, in the session's turns, and erased. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createPluginTexts } from "../../oracle/framework/storage.ts";
import { loseMemory } from "./chat-session/session-under-test.ts";

function newUser(): string {
  return `did:key:${crypto.randomUUID()}`;
}

function storeOf(did: string) {
  return env.USER_VAULT.getByName(did);
}

function textsOf(did: string, plugin = "memory") {
  return createPluginTexts(() => storeOf(did), plugin);
}

function tablesOf(did: string) {
  return runInDurableObject(storeOf(did), (_object, { storage }) =>
    storage.sql
      .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'")
      .toArray(),
  );
}

test("texts and their index survive an eviction and a kill between writes [OR-266]", async () => {
  const did = newUser();
  const texts = textsOf(did);
  await texts.put("a", "Café in the morning", { from: "m1" });
  await evictDurableObject(storeOf(did));
  await texts.put("b", "Tea at noon");
  await loseMemory();
  expect((await texts.search("cafe")).map(({ id }) => id)).toEqual(["a"]);
  expect(await texts.get("a")).toMatchObject({ text: "Café in the morning", details: { from: "m1" } });
  expect((await texts.list()).texts.map(({ id }) => id)).toEqual(["b", "a"]);
  expect(await texts.delete("a")).toBe(true);
  await evictDurableObject(storeOf(did));
  expect(await texts.search("cafe")).toEqual([]);
  expect(await texts.get("a")).toBeUndefined();
});

test("a list continues after its cursor, over an eviction; another cursor is refused [OR-266]", async () => {
  const did = newUser();
  const texts = textsOf(did);
  for (let index = 0; index < 51; index += 1) await texts.put(`t${index}`, "tea");
  const first = await texts.list();
  expect(first.texts).toHaveLength(50);
  await evictDurableObject(storeOf(did));
  expect((await texts.list(first.cursor)).texts.map(({ id }) => id)).toEqual(["t0"]);
  await expect(texts.list("no cursor")).rejects.toMatchObject({ name: "KvLimitError" });
});

test("plugins and users have separate texts; a text above a limit throws and stores nothing [OR-266, OR-267]", async () => {
  const [ada, bob] = [newUser(), newUser()];
  await textsOf(ada).put("a", "tea of Ada");
  await textsOf(ada, "notes").put("a", "tea of notes");
  await textsOf(bob).put("a", "tea of Bob");
  expect((await textsOf(ada).search("tea")).map(({ text }) => text)).toEqual(["tea of Ada"]);
  expect(await textsOf(ada).clear()).toBe(1);
  expect((await textsOf(ada, "notes").search("tea")).map(({ text }) => text)).toEqual(["tea of notes"]);
  expect((await textsOf(bob).search("tea")).map(({ text }) => text)).toEqual(["tea of Bob"]);
  await expect(textsOf(bob).put("b", "x".repeat(16_385))).rejects.toMatchObject({ limit: "value" });
  await expect(textsOf(bob).put("", "x")).rejects.toMatchObject({ limit: "key" });
  await textsOf(bob).put("b", "half \ud800 a pair");
  expect((await textsOf(bob).get("b"))?.text).toBe("half \ufffd a pair");
  expect(await textsOf(bob).search('"half OR NEAR( ^* \ud800')).toHaveLength(1);
});

test("erasing the user erases texts and index; a store without its last text erases itself [OR-149, OR-217, OR-266]", async () => {
  const did = newUser();
  await textsOf(did).put("a", "tea");
  await storeOf(did).eraseUser();
  // Nothing is counted, so the empty store is due at once.
  await runDurableObjectAlarm(storeOf(did));
  await expect.poll(() => tablesOf(did)).toEqual([]);
  expect(await textsOf(did).search("tea")).toEqual([]);
  await textsOf(did).put("a", "tea again");
  expect((await textsOf(did).search("again")).map(({ id }) => id)).toEqual(["a"]);
  await textsOf(did).delete("a");
  // It is due at once, and may have run already.
  await runDurableObjectAlarm(storeOf(did));
  await expect.poll(() => tablesOf(did)).toEqual([]);
});
