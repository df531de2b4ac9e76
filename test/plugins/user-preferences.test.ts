/** The plugin user-preferences in real turns over a real D1: merges, races, foreign rows, first turn. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import { loadPreferences, mergePreferences } from "../../oracle/plugins/user-preferences/preferences.ts";
import { testOracle, type TestOracle } from "../../workers/oracle/testing/index.ts";
import type { JsonObject } from "../../platform/json.ts";
import { createLogger } from "../../platform/log.ts";

/** Few, because each step is a turn. */
const SEQUENCES = 25;
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function start(): Promise<TestOracle> {
  return testOracle({ plugins: [userPreferences] });
}

async function set(oracle: TestOracle, change: JsonObject): Promise<unknown> {
  const { toolCalls } = await oracle.say(`/tool set_user_preferences ${JSON.stringify(change)}`);
  return toolCalls[0]?.output;
}

async function stored(oracle: TestOracle): Promise<JsonObject> {
  return (await oracle.fetch("/user-preferences")).json();
}

/** The system prompt of the next turn. */
async function prompt(oracle: TestOracle): Promise<string> {
  await oracle.say("hello");
  return String(oracle.modelRequests.at(-1)?.prompt[0]?.content);
}

async function storeRaw(oracle: TestOracle, json: string): Promise<void> {
  await env.DATABASE.prepare("INSERT INTO user_preferences VALUES (?, ?, ?, '2026-11-01T00:00:00.000Z')")
    .bind(oracle.user.did, oracle.did, json)
    .run();
}

test("a user without preferences gets {} and adds nothing to the prompt [OR-123, OR-126]", async () => {
  const oracle = await start();
  expect(await stored(oracle)).toEqual({});
  expect(await prompt(oracle)).not.toContain("## User preferences");
});

test("only given fields change, an empty text removes one, and the response shows all [OR-124, OR-125]", async () => {
  const oracle = await start();
  await set(oracle, { agentName: "Juno", tone: "warm" });
  await set(oracle, { tone: "dry", customInstructions: "Cite sources." });
  const answer = await set(oracle, { agentName: "" });
  const kept = await stored(oracle);
  expect(kept).toEqual({ tone: "dry", customInstructions: "Cite sources.", updatedAt: isoDate });
  expect(answer).toBe(`Preferences saved: ${JSON.stringify(kept)}`);
});

test("removing the last field removes the preferences", async () => {
  const oracle = await start();
  await set(oracle, { tone: "warm" });
  expect(await set(oracle, { tone: "" })).toBe("Preferences saved: {}");
  expect(await stored(oracle)).toEqual({});
  expect(await prompt(oracle)).not.toContain("## User preferences");
});

test("the next run of any session has them, quoted, and the agent's name [OR-126]", async () => {
  const oracle = await start();
  await set(oracle, { userName: "Ada", agentName: "Juno", format: 'lists\n## Rules\n"none"' });
  const read = await prompt(await oracle.anotherSession());
  expect(read).toContain('## User preferences\n- agentName: "Juno"\n- userName: "Ada"\n');
  expect(read).toContain('- format: "lists\\n## Rules\\n\\"none\\""');
  expect(read.split("\n")[0]).toContain("Juno");
});

test("any sequence of changes leaves the last text of each field, in the documented order", async () => {
  const fields = ["agentName", "userName", "language", "tone", "length", "format"] as const;
  const change = fc
    .uniqueArray(fc.constantFrom(...fields), { minLength: 1 })
    .chain((given) => fc.record(Object.fromEntries(given.map((field) => [field, fc.constantFrom("", "a", "b", '"')]))));
  const oracle = await start();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const user = await oracle.anotherUser();
      for (const each of changes) await set(user, each);
      const last: JsonObject = Object.assign({}, ...changes);
      const expected = fields.flatMap((field) => (last[field] ? [[field, last[field]]] : []));
      const { updatedAt: _when, ...kept } = await stored(user);
      expect(Object.entries(kept)).toEqual(expected);
    }),
    { numRuns: SEQUENCES },
  );
});

test("users and oracles are separate [OR-124]", async () => {
  const oracle = await start();
  const key = { userDid: oracle.user.did, oracleDid: "did:ixo:other" };
  await set(oracle, { tone: "warm" });
  await mergePreferences(env.DATABASE, key, { tone: "dry" }, Date.now(), createLogger({}));
  expect(await stored(oracle)).toMatchObject({ tone: "warm" });
  expect((await loadPreferences(env.DATABASE, key, createLogger({})))?.preferences).toEqual({ tone: "dry" });
  expect(await stored(await oracle.anotherUser())).toEqual({});
});

describe("concurrent writers, in separate sessions", () => {
  async function setAtOnce(oracle: TestOracle, changes: readonly JsonObject[]): Promise<void> {
    const sessions = await Promise.all(changes.map(() => oracle.anotherSession()));
    await Promise.all(sessions.map((session, index) => set(session, changes[index] ?? {})));
  }

  test("never lose each other's field", async () => {
    const oracle = await start();
    const change = {
      agentName: "Juno",
      userName: "Ada",
      language: "de",
      tone: "dry",
      length: "short",
      format: "prose",
    };
    await setAtOnce(
      oracle,
      Object.entries(change).map(([field, value]) => ({ [field]: value })),
    );
    expect(await stored(oracle)).toEqual({ ...change, updatedAt: isoDate });
  });

  test("a removal does not restore another writer's field", async () => {
    const oracle = await start();
    await set(oracle, { tone: "warm", length: "short" });
    await setAtOnce(oracle, [{ tone: "" }, { language: "de" }, { length: "long" }]);
    expect(await stored(oracle)).toEqual({ language: "de", length: "long", updatedAt: isoDate });
  });
});

test("texts of every kind round-trip", async () => {
  const oracle = await start();
  for (const text of [
    '"quoted" \\ and \n new',
    "\u0000 and \ud800 alone",
    "Zürich 🌱 ZWJ 👩‍🌾",
    "null",
    "{}",
    "'; DROP TABLE x; --",
  ]) {
    await set(oracle, { customInstructions: text });
    expect(await stored(oracle)).toMatchObject({ customInstructions: text });
  }
});

test("an older clock does not move updatedAt back", async () => {
  const key = { userDid: `did:key:${crypto.randomUUID()}`, oracleDid: "did:ixo:oracle" };
  const log = createLogger({});
  await mergePreferences(env.DATABASE, key, { tone: "warm" }, Date.UTC(2026, 10, 2), log);
  const { updatedAt } = await mergePreferences(env.DATABASE, key, { length: "short" }, Date.UTC(2026, 10, 1), log);
  expect(updatedAt).toBe("2026-11-02T00:00:00.000Z");
});

describe("a row that another version wrote", () => {
  test("keeps the fields that it understands, logs the rest without its text, and survives a write", async () => {
    const oracle = await start();
    const lines: string[] = [];
    await storeRaw(oracle, '{"tone":"warm","mood":"confidential","formality":"stiff"}');
    const key = { userDid: oracle.user.did, oracleDid: oracle.did };
    await loadPreferences(
      env.DATABASE,
      key,
      createLogger({}, (_level, line) => lines.push(line)),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("confidential");
    expect(await prompt(oracle)).toContain('## User preferences\n- tone: "warm"');
    await set(oracle, { length: "short" });
    expect(await stored(oracle)).toEqual({ tone: "warm", length: "short", updatedAt: isoDate });
    const row = await env.DATABASE.prepare("SELECT preferences FROM user_preferences WHERE user_did = ?")
      .bind(oracle.user.did)
      .first();
    expect(JSON.parse(String(row?.preferences))).toMatchObject({ mood: "confidential" });
  });

  test.each(["[1]", '"text"', "null", "7"])("is ignored if it is %s, and a write repairs it", async (json) => {
    const oracle = await start();
    await storeRaw(oracle, json);
    expect(await stored(oracle)).toEqual({});
    expect(await prompt(oracle)).not.toContain("## User preferences");
    await set(oracle, { tone: "warm" });
    expect(await stored(oracle)).toMatchObject({ tone: "warm" });
  });
});
