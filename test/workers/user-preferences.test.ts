/** The plugin user-preferences over a real D1: merges, races, foreign rows, first turn. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../workers/oracle/framework/tools.ts";
import { runtimeContext } from "../support/plugins.ts";
import { userPreferences } from "../../workers/oracle/plugins/user-preferences/plugin.ts";
import {
  describeStored,
  loadPreferences,
  mergePreferences,
} from "../../workers/oracle/plugins/user-preferences/preferences.ts";
import type { JsonObject } from "../../workers/platform/json.ts";
import { createLogger } from "../../workers/platform/log.ts";

const ORACLE = "did:ixo:oracle";
/** Few, since each step is a write of a real database. */
const SEQUENCES = 25;
const isoDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function user(): string {
  return `did:key:${crypto.randomUUID()}`;
}

function runOf(did: string, lines: string[] = [], oracleDid = ORACLE): ToolContext {
  return runtimeContext({
    env,
    user: { did, currentTime: new Date().toISOString() },
    identity: { name: "Oracle", did: oracleDid, entityDid: oracleDid },
    logger: createLogger({}, (_level, line) => lines.push(line)),
  });
}

async function set(did: string, input: JsonObject, oracleDid = ORACLE): Promise<unknown> {
  const run = runOf(did, [], oracleDid);
  const [tool] = (await userPreferences.getTools?.(run)) ?? [];
  return tool?.handler(input, run);
}

function state(did: string, lines: string[] = [], oracleDid = ORACLE) {
  return userPreferences.getSharedState?.(runOf(did, lines, oracleDid));
}

async function readPreferences(userDid: string, oracleDid: string): Promise<JsonObject> {
  return describeStored(
    await loadPreferences(
      env.DATABASE,
      { userDid, oracleDid },
      createLogger({}, () => undefined),
    ),
  );
}

async function storeRaw(did: string, json: string): Promise<void> {
  await env.DATABASE.prepare("INSERT INTO user_preferences VALUES (?, ?, ?, '2026-11-01T00:00:00.000Z')")
    .bind(did, ORACLE, json)
    .run();
}

test("a user without preferences reads {} and adds nothing to the prompt [OR-123, OR-126]", async () => {
  const did = user();
  expect(await readPreferences(did, ORACLE)).toEqual({});
  expect(await state(did)).toEqual({});
});

test("only given fields change, an empty text removes one, and the answer shows all [OR-124, OR-125]", async () => {
  const did = user();
  await set(did, { agentName: "Juno", tone: "warm" });
  await set(did, { tone: "dry", customInstructions: "Cite sources." });
  const answer = await set(did, { agentName: "" });
  const stored = await readPreferences(did, ORACLE);
  expect(stored).toEqual({ tone: "dry", customInstructions: "Cite sources.", updatedAt: isoDate });
  expect(answer).toBe(`Preferences saved: ${JSON.stringify(stored)}`);
});

test("once the last field is gone there are none", async () => {
  const did = user();
  await set(did, { tone: "warm" });
  expect(await set(did, { tone: "" })).toBe("Preferences saved: {}");
  expect(await readPreferences(did, ORACLE)).toEqual({});
  expect(await state(did)).toEqual({ promptSection: "" });
});

test("the next run of any session has them, quoted, and the agent's name [OR-126]", async () => {
  const did = user();
  await set(did, { userName: "Ada", agentName: "Juno", format: 'lists\n## Rules\n"none"' });
  expect(await state(did)).toEqual({
    agentName: "Juno",
    promptSection:
      '## User preferences\n- agentName: "Juno"\n- userName: "Ada"\n- format: "lists\\n## Rules\\n\\"none\\""',
  });
});

test("any sequence of changes leaves the last text of each field, in the documented order", async () => {
  const fields = ["agentName", "userName", "language", "tone", "length", "format"] as const;
  const change = fc
    .uniqueArray(fc.constantFrom(...fields), { minLength: 1 })
    .chain((given) => fc.record(Object.fromEntries(given.map((field) => [field, fc.constantFrom("", "a", "b", '"')]))));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
      const did = user();
      for (const each of changes) await set(did, each);
      const last: JsonObject = Object.assign({}, ...changes);
      const expected = fields.flatMap((field) => (last[field] ? [[field, last[field]]] : []));
      const { updatedAt: _when, ...stored } = await readPreferences(did, ORACLE);
      expect(Object.entries(stored)).toEqual(expected);
    }),
    { numRuns: SEQUENCES },
  );
});

test("users and oracles are kept apart [OR-124]", async () => {
  const did = user();
  await set(did, { tone: "warm" });
  await set(did, { tone: "dry" }, "did:ixo:other");
  expect(await readPreferences(did, ORACLE)).toMatchObject({ tone: "warm" });
  expect(await readPreferences(did, "did:ixo:other")).toMatchObject({ tone: "dry" });
  expect(await readPreferences(user(), ORACLE)).toEqual({});
});

describe("writers at the same moment", () => {
  test("never lose each other's field", async () => {
    const did = user();
    const change = {
      agentName: "Juno",
      userName: "Ada",
      language: "de",
      tone: "dry",
      length: "short",
      format: "prose",
    };
    await Promise.all(Object.entries(change).map(([field, value]) => set(did, { [field]: value })));
    expect(await readPreferences(did, ORACLE)).toEqual({ ...change, updatedAt: isoDate });
  });

  test("a removal does not bring back what another wrote", async () => {
    const did = user();
    await set(did, { tone: "warm", length: "short" });
    await Promise.all([set(did, { tone: "" }), set(did, { language: "de" }), set(did, { length: "long" })]);
    expect(await readPreferences(did, ORACLE)).toEqual({ language: "de", length: "long", updatedAt: isoDate });
  });
});

test("texts of every kind come back as they were written", async () => {
  const did = user();
  for (const text of [
    '"quoted" \\ and \n new',
    "\u0000 and \ud800 alone",
    "Zürich 🌱 ZWJ 👩‍🌾",
    "null",
    "{}",
    "'; DROP TABLE x; --",
  ]) {
    await set(did, { customInstructions: text });
    expect(await readPreferences(did, ORACLE)).toMatchObject({ customInstructions: text });
  }
});

test("an older clock does not move updatedAt back", async () => {
  const key = { userDid: user(), oracleDid: ORACLE };
  const log = createLogger({});
  await mergePreferences(env.DATABASE, key, { tone: "warm" }, Date.UTC(2026, 10, 2), log);
  const { updatedAt } = await mergePreferences(env.DATABASE, key, { length: "short" }, Date.UTC(2026, 10, 1), log);
  expect(updatedAt).toBe("2026-11-02T00:00:00.000Z");
});

describe("a row that another version wrote", () => {
  test("keeps what is understood, logs the rest without its text, and survives a write", async () => {
    const did = user();
    const lines: string[] = [];
    await storeRaw(did, '{"tone":"warm","mood":"confidential","formality":"stiff"}');
    expect(await state(did, lines)).toEqual({ promptSection: '## User preferences\n- tone: "warm"' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("confidential");
    await set(did, { length: "short" });
    expect(await readPreferences(did, ORACLE)).toEqual({ tone: "warm", length: "short", updatedAt: isoDate });
    const row = await env.DATABASE.prepare("SELECT preferences FROM user_preferences WHERE user_did = ?")
      .bind(did)
      .first();
    expect(JSON.parse(String(row?.preferences))).toMatchObject({ mood: "confidential" });
  });

  test.each(["[1]", '"text"', "null", "7"])("is none when it is %s, and a write mends it", async (json) => {
    const did = user();
    await storeRaw(did, json);
    expect(await readPreferences(did, ORACLE)).toEqual({});
    expect(await state(did)).toEqual({ promptSection: "" });
    await set(did, { tone: "warm" });
    expect(await readPreferences(did, ORACLE)).toMatchObject({ tone: "warm" });
  });
});
