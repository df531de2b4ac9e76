/** A user's copy of their data and their erasure, over the oracle's routes, real objects and a real database. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memory } from "../../oracle/plugins/memory/plugin.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import type { JsonObject } from "../../platform/json.ts";
import { ERASURES_TABLE } from "../../workers/oracle/personal-data/erasures.ts";
import { signer } from "../support/auth/ucan.ts";
import { createEdge, jsonOf, openSession, type Edge } from "../support/oracle/oracle-edge.ts";
import { plugin } from "../support/plugins/small-plugins.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** One user per test, because data and limits belong to the user. */
let lastUser = 120;

async function setUp(plugins: readonly PluginDefinition[] = [], more: object = {}) {
  const { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, BLOBS } = env;
  const bindings = { CHAT_SESSION, USER_VAULT, DATABASE, ASSETS, BLOBS, LLM_PROVIDER: "local", ...more };
  const edge = await createEdge(bindings, { plugins: [userPreferences, memory, ...plugins] });
  const user = (lastUser += 1);
  return { edge, user, did: (await signer(user)).did() };
}

async function say(edge: Edge, as: number, sessionId: string, message: string): Promise<void> {
  const response = await edge.call("POST", `/messages/${sessionId}`, { as, body: { message } });
  expect(response.status).toBe(200);
  await response.text();
}

async function furnish(edge: Edge, as: number): Promise<string> {
  const sessionId = await openSession(edge, as);
  await say(edge, as, sessionId, "hello there");
  await say(edge, as, sessionId, '/tool remember {"fact":"The stove is a Kiboko 2."}');
  await say(edge, as, sessionId, '/tool set_user_preferences {"language":"Kiswahili"}');
  return sessionId;
}

async function copyOf(edge: Edge, as: number): Promise<readonly JsonObject[]> {
  const response = await edge.call("GET", "/me/export", { as });
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const lines = (await response.text()).split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as JsonObject);
}

function rowsOf(did: string) {
  return env.DATABASE.prepare("SELECT * FROM user_preferences WHERE user_did = ?1").bind(did).all();
}

async function erasures() {
  const { results } = await env.DATABASE.prepare("SELECT did, erased_at, kept, attempts FROM erasures").all();
  return results;
}

describe("a copy", () => {
  test("has the user's sessions, messages, facts and preferences, and ends with a mark [OR-670]", async () => {
    const { edge, user, did } = await setUp();
    const sessionId = await furnish(edge, user);
    const copy = await copyOf(edge, user);
    expect(copy[0]).toMatchObject({ kind: "user", did });
    expect(copy.at(-1)).toEqual({ kind: "end" });
    expect(copy).toContainEqual(
      expect.objectContaining({ kind: "text", plugin: "memory", text: "The stove is a Kiboko 2." }),
    );
    expect(copy).toContainEqual({
      kind: "plugin",
      plugin: "user-preferences",
      data: expect.objectContaining({ language: "Kiswahili" }),
    });
    expect(copy).toContainEqual(expect.objectContaining({ kind: "session", sessionId }));
    const messages = copy.filter(({ kind }) => kind === "message");
    expect(messages).toHaveLength(6);
    expect(messages[0]).toMatchObject({ sessionId, message: { type: "human", content: "hello there" } });
  });

  test("has each message of a long session once, and nothing of another user [OR-670]", async () => {
    const { edge, user } = await setUp();
    const other = (lastUser += 1);
    await furnish(edge, other);
    const sessionId = await openSession(edge, user);
    for (let turn = 0; turn < 102; turn += 1) await say(edge, user, sessionId, `message ${turn}`);
    const messages = (await copyOf(edge, user)).filter(({ kind }) => kind === "message");
    const asked = messages.flatMap(({ message }) => {
      const { type, content } = message as JsonObject;
      return type === "human" ? [content] : [];
    });
    expect(asked).toEqual(Array.from({ length: 102 }, (_, turn) => `message ${turn}`));
  });

  test("without the last line is incomplete: a plugin that fails breaks it off [OR-670]", async () => {
    const broken = plugin("broken", {
      exportUser: async function* () {
        yield { first: 1 };
        throw new Error("the service is away");
      },
    });
    const { edge, user } = await setUp([broken]);
    const response = await edge.call("GET", "/me/export", { as: user });
    await expect(response.text()).rejects.toThrow("The copy is incomplete");
  });

  test("needs a signed-in user [OR-670, OR-671]", async () => {
    const { edge } = await setUp();
    expect((await edge.call("GET", "/me/export")).status).toBe(401);
    expect((await edge.call("DELETE", "/me")).status).toBe(401);
  });
});

describe("an erasure", () => {
  test("leaves nothing to copy, and its receipt says what is kept [OR-671]", async () => {
    const { edge, user, did } = await setUp();
    const sessionId = await furnish(edge, user);
    const receipt = await jsonOf(await edge.call("DELETE", "/me", { as: user }));
    expect(receipt).toMatchObject({ state: "erased", erasedAt: expect.any(String) });
    expect(receipt["kept"]).toContainEqual({ what: expect.stringContaining("digest"), why: expect.any(String) });
    expect((await rowsOf(did)).results).toEqual([]);
    expect((await edge.call("GET", `/messages/${sessionId}`, { as: user })).status).toBe(404);
    const kinds = (await copyOf(edge, user)).map(({ kind }) => kind);
    expect(kinds).toEqual(["user", "plugin", "end"]);
    const rows = await erasures();
    expect(rows.filter((row) => row["did"] === did)).toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(did);
    // The user may return, and erase again.
    await furnish(edge, user);
    expect((await edge.call("DELETE", "/me", { as: user })).status).toBe(200);
  });

  test("resets no limit of the day, and revives no revoked delegation [OR-672]", async () => {
    const { edge, user } = await setUp([], { ORACLE_USER_TURNS_PER_DAY: "1" });
    const sessionId = await openSession(edge, user);
    await say(edge, user, sessionId, "hello");
    expect((await edge.call("DELETE", "/me", { as: user })).status).toBe(200);
    const next = await openSession(edge, user);
    const refused = await edge.call("POST", `/messages/${next}`, { as: user, body: { message: "again" } });
    expect(refused.status).toBe(429);
  });

  test("that a plugin interrupts is 202, and the schedule completes it [OR-673]", async () => {
    let failures = 2;
    const erased: string[] = [];
    const away = plugin("away", {
      userErased: async (did) => {
        if (failures > 0) {
          failures -= 1;
          throw new Error("the service is away");
        }
        erased.push(did);
        return [{ what: "a contract", why: "the law requires it" }];
      },
    });
    const { edge, user, did } = await setUp([away]);
    const sessionId = await furnish(edge, user);
    const response = await edge.call("DELETE", "/me", { as: user });
    expect(response.status).toBe(202);
    expect(await jsonOf(response)).toMatchObject({ state: "pending" });
    // Sessions go first, so that nothing runs while plugins erase.
    expect((await edge.call("GET", `/messages/${sessionId}`, { as: user })).status).toBe(404);
    await edge.schedule();
    expect(failures).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    await edge.schedule();
    expect(failures).toBe(0);
    expect(await erasures()).toContainEqual(expect.objectContaining({ did, erased_at: null, attempts: 2 }));
    vi.setSystemTime(Date.now() + 121_000);
    await edge.schedule();
    expect(erased).toEqual([did]);
    const [row] = (await erasures()).filter(({ kept }) => String(kept).includes("a contract"));
    expect(row).toMatchObject({ did: null, erased_at: expect.any(String) });
    await edge.schedule();
    expect(erased).toEqual([did]);
  });

  test("whose process was killed continues five minutes later [OR-673]", async () => {
    const { edge, user, did } = await setUp();
    await furnish(edge, user);
    // The attempt that was killed left its row, and nothing else.
    await edge.schedule();
    await env.DATABASE.prepare(
      "INSERT INTO erasures (subject, did, requested_at, attempts, next_attempt_at) VALUES ('killed', ?1, '2026-11-25T09:00:00.000Z', 1, ?2)",
    )
      .bind(did, Date.now() + 300_000)
      .run();
    await edge.schedule();
    expect((await rowsOf(did)).results).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_001 });
    await edge.schedule();
    expect((await rowsOf(did)).results).toEqual([]);
  });

  test("that is requested twice at once is one row [OR-671]", async () => {
    const { edge, user } = await setUp();
    await furnish(edge, user);
    const before = (await erasures()).length;
    const both = await Promise.all([1, 2].map(() => edge.call("DELETE", "/me", { as: user })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(await erasures()).toHaveLength(before + 1);
  });

  test("works in a database without migrations, and without a database [OR-671]", async () => {
    const { edge, user } = await setUp();
    await env.DATABASE.prepare("DROP TABLE erasures").run();
    expect((await edge.call("DELETE", "/me", { as: user })).status).toBe(200);
    expect(await erasures()).toHaveLength(1);
    const { sql } = (await env.DATABASE.prepare("SELECT sql FROM sqlite_master WHERE name = 'erasures'").first<{
      sql: string;
    }>()) ?? { sql: "" };
    expect(sql.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ")).toBe(ERASURES_TABLE);
    const { CHAT_SESSION, USER_VAULT, ASSETS } = env;
    const bare = await createEdge({ CHAT_SESSION, USER_VAULT, ASSETS, LLM_PROVIDER: "local" }, { plugins: [memory] });
    const other = (lastUser += 1);
    await openSession(bare, other);
    expect(await jsonOf(await bare.call("DELETE", "/me", { as: other }))).toMatchObject({ state: "erased" });
  });
});
