/**
 * Hostile text in every place where foreign text can occur: results and errors of tools, descriptions and schemas,
 * results of the page, preferences, a plugin's section of the prompt, names of files, metadata, earlier turns. How a
 * real model reacts cannot be tested here; the tests check where the text is in the model's request and what it cannot
 * change.
 */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { READ_RESULT, SHOWN_RESULT_BYTES } from "../../oracle/agent/toolbox.ts";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames, type ReadFrame } from "../../test/support/oracle/frame-reader.ts";
import { hostileStrings } from "../../test/support/oracle/hostile-strings.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode } from "../../test/support/oracle/session-in-node.ts";
import { createSqliteDatabase } from "../../test/support/storage/sqlite-database.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";
import { loadPreferences, mergePreferences } from "../../oracle/plugins/user-preferences/preferences.ts";
import { createLogger } from "../../platform/log.ts";

const silent = createLogger({}, () => undefined);
const preferencesKey = { userDid: OWNER, oracleDid: "did:ixo:ixo1oracletest" };

/** Hostile text in each place where a plugin, a page or a user can put it. */
function pluginsWith(text: string): readonly PluginDefinition[] {
  return [
    userPreferences,
    // An author who forgets to quote users' text.
    plugin("notes", {
      getSharedState: () => ({ promptSection: `## Notes\n${text}` }),
      getTools: () => [
        tool("read_note", () => ({ text })),
        tool("read_text", () => text),
        tool("break", () => {
          throw new Error(text);
        }),
      ],
    }),
    // A server whose descriptions the operator does not control.
    plugin("remote", {
      manifest: { title: text, summary: text, whenToUse: [text], visibility: "always" },
      getTools: () => [
        {
          ...tool("remote_search", () => [text]),
          description: text,
          schema: z.looseObject({ q: z.string().describe(text) }),
        },
      ],
    }),
    // A plugin with foreign descriptions, loaded on demand.
    plugin("catalogue", {
      manifest: { title: text, summary: text, whenToUse: [text], visibility: "on-demand" },
      getTools: () => [{ ...tool("find_part", () => text), description: text }],
    }),
    // A sub-agent that repeats what it read.
    plugin("research", {
      getSubAgents: () => [
        {
          name: "reader",
          description: text,
          systemPrompt: "Read the note.",
          tools: [tool("read_source", () => ({ text }))],
          forwardTools: true,
        },
      ],
    }),
    portal,
    agui,
  ];
}

async function setUp(text: string, models?: ReturnType<typeof chatModels>) {
  const DATABASE = createSqliteDatabase(["0001_user_preferences.sql"]);
  const session = await startSession({
    settings: { plugins: pluginsWith(text), ...(models === undefined ? {} : { models }) },
    env: { DATABASE } as Env,
  });
  const tab = await session.tabs.connect();
  const preferences = () => loadPreferences(DATABASE, preferencesKey, silent);
  return { session, tab, preferences, DATABASE };
}

function question(message: string, text: string) {
  const declared = (name: string) => ({
    name,
    description: text,
    schema: { properties: { q: { description: text } } },
  });
  return turn(message, {
    tools: [declared("pageTitle")],
    agActions: [declared("open_map")],
    metadata: {
      page: { url: `https://app.example/${text.slice(0, 500)}`, title: text, selection: text },
      title: text,
    },
    attachments: [{ mxcUri: "mxc://x/y", filename: text.slice(0, 255), mimetype: "text/plain" }],
  });
}

async function ask(session: SessionInNode, request: ReturnType<typeof turn>): Promise<readonly ReadFrame[]> {
  const { frames } = valueOf(await session.core.startRun(OWNER, request));
  return readFrames(frames).rest();
}

/** Two turns in which the model makes the scripted calls and nothing else. */
async function converse(text: string) {
  const model = createScriptedModel();
  const input = { q: "stoves" };
  model.plays(
    ["read_note", "read_text", "break", "remote_search", "pageTitle"].map((call) => ({ call, input })),
    [
      { call: "list_capabilities", input: {} },
      { call: "load_capability", input: { names: ["catalogue"] } },
    ],
    [
      { call: "find_part", input },
      { call: "call_reader", input: { task: "read" } },
    ],
    [{ call: "read_source", input: {} }],
    [`It says: ${text}`],
    ["Done."],
    ["Still done."],
  );
  const { session, tab, preferences, DATABASE } = await setUp(text, chatModels(model));
  await mergePreferences(
    DATABASE,
    preferencesKey,
    { agentName: text.slice(0, 80), userName: text.slice(0, 80), customInstructions: text.slice(0, 2_000) },
    0,
    silent,
  );
  const stored = await preferences();
  const first = ask(session, question("summarise the note", text));
  await session.tabs.whenWritten(1);
  const written = session.tabs.written[0]?.call;
  if (written !== undefined) tab.answer(written, text);
  const frames = [await first, await ask(session, question("and now?", text))];
  expect(await preferences()).toEqual(stored);
  return { asked: model.asked, frames, session };
}

const systemOf = ({ prompt }: LanguageModelV4CallOptions): string =>
  prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");

/** The parts of a request that must not depend on foreign text: roles, kinds of parts, names of tools, headings. */
function shapeOf(options: LanguageModelV4CallOptions) {
  return {
    messages: options.prompt.map((message) =>
      message.role === "system"
        ? message.role
        : [
            message.role,
            ...message.content.map((part) => ("toolName" in part ? [part.type, part.toolName] : part.type)),
          ],
    ),
    // Offered depending on the length of a result, and it only reads that result.
    tools: options.tools?.map(({ name }) => name).filter((name) => name !== READ_RESULT),
    headings: systemOf(options)
      .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/)
      .filter((line) => /^ {0,3}#{1,2}(?:\s|$)/.test(line)),
  };
}

/** The descriptions of tools with trusted authors. */
const ownDescriptions = ({ tools = [] }: LanguageModelV4CallOptions) =>
  tools.filter(({ name }) => /^(?:set_|read_|break)/.test(name));

const harmless = await converse("hello");
/** Text that fits several times into a model's window is never cut. */
const short = hostileStrings.filter(({ text }) => text.length < 5_000);

describe("hostile text changes neither the model's request nor the turn around it [OR-223, OR-224, OR-225, OR-226]", () => {
  test("there are at least 30 hostile texts, each with a different attack", () => {
    expect(new Set(hostileStrings.map(({ tries }) => tries)).size).toBeGreaterThanOrEqual(30);
    expect(new Set(hostileStrings.map(({ text }) => text)).size).toBe(hostileStrings.length);
  });

  test("the conversation reaches every place: a capability is loaded and used, a sub-agent reads and answers", () => {
    const called = harmless.asked
      .at(-1)
      ?.prompt.flatMap(({ role, content }) =>
        role === "tool" ? content.map((part) => ("toolName" in part ? part.toolName : "")) : [],
      );
    expect(called?.join(" ")).toBe(
      "read_note read_text break remote_search pageTitle list_capabilities load_capability find_part call_reader",
    );
    const askedWithFindPart = harmless.asked.map(({ tools = [] }) => tools.some(({ name }) => name === "find_part"));
    expect(askedWithFindPart).toEqual([false, false, true, false, false, true, true]);
    expect(systemOf(harmless.asked[0] ?? { prompt: [] })).toContain('- Selected text: "hello"');
  });

  test.each(short)("that tries $tries", async ({ text }) => {
    const { asked, frames, session } = await converse(text);
    expect(asked.map(shapeOf)).toEqual(harmless.asked.map(shapeOf));
    expect(asked.map(ownDescriptions)).toEqual(harmless.asked.map(ownDescriptions));
    for (const options of asked) {
      expect(systemOf(options)).toContain("\n## Rules\nUse a tool only when");
      // The name that the user chose, in quotes on one line; or the sub-agent's own prompt.
      expect(systemOf(options).split("\n")[0]).toMatch(/^(?:You are "(?:[^"\\]|\\.)*", an oracle\.|Read the note\.)$/);
      expect(options.prompt.map(({ role }) => role).lastIndexOf("system")).toBe(0);
    }
    // The one call that the model made, and its result as the result of that call.
    expect(session.tabs.written.map(({ call }) => call.name)).toEqual(["pageTitle"]);
    const results = asked[1]?.prompt.at(-1);
    expect(results?.role === "tool" && results.content.map((part) => "output" in part && part.output)).toEqual([
      { type: "json", value: { text: asJson(text) } },
      { type: "text", value: asJson(text) },
      { type: "error-text", value: "break failed" },
      { type: "json", value: [asJson(text)] },
      { type: "text", value: asJson(text) },
    ]);
    for (const [turnNumber, ofTurn] of frames.entries()) {
      expect(ofTurn.map(({ event }) => event)).toEqual(harmless.frames[turnNumber]?.map(({ event }) => event));
      expect(ofTurn.at(-1)?.data).toMatchObject({ status: "finished", finishReason: "stop" });
    }
  });
});

test.each(hostileStrings.filter((each) => !short.includes(each)))(
  "text of any length leaves the whole prompt before it: $tries [OR-223]",
  async ({ text }) => {
    const { asked } = await converse(text);
    // The rest of a cut result can be read with the one tool that a long result adds (OR-176).
    const shapes = asked.map(shapeOf).map(({ tools, ...rest }) => ({
      ...rest,
      tools: tools?.filter((name) => name !== "read_result"),
    }));
    expect(shapes).toEqual(harmless.asked.map(shapeOf));
    for (const options of asked) expect(systemOf(options)).toContain("## Rules\nUse a tool only when");
  },
);

/** The text after one round-trip through JSON. */
const asJson = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

describe("the built-in model reads hostile text and calls nothing [OR-224]", () => {
  test.each(hostileStrings)("that tries $tries", async ({ text }) => {
    const { session, preferences } = await setUp(text);
    const frames = await ask(session, { ...question("/tool read_note {}", text), attachments: [] });
    const called = frames.filter(({ event }) => event === "tool_call").map(({ data }) => data["toolName"]);
    expect(called).toEqual(["read_note", "read_note"]);
    expect(session.tabs.written).toEqual([]);
    expect(await preferences()).toBeUndefined();
    const said = frames.flatMap(({ event, data }) => (event === "message" ? [data["content"]] : []));
    const result = JSON.stringify({ text: asJson(text) });
    const shown = result.length > SHOWN_RESULT_BYTES ? `${result.slice(0, SHOWN_RESULT_BYTES)}\n[The first ` : result;
    expect(said.join("").startsWith(`Tool read_note returned: ${shown}`)).toBe(true);
    expect(frames.at(-1)?.data).toMatchObject({ status: "finished" });
  });
});

describe("a model that was tricked can call only tools that this request offers [OR-227]", () => {
  test("no tool of the previous turn, of a silent plugin, of a plugin that is not loaded, and no invented one", async () => {
    const model = createScriptedModel();
    const called: string[] = [];
    const hidden = (visibility: "silent" | "on-demand", name: string) =>
      plugin(`plugin-${name}`, {
        manifest: { title: "Payments", summary: "pays", whenToUse: ["never"], visibility },
        getTools: () => [tool(name, () => void called.push(name))],
      });
    const names = ["pageTitle", "open_map", "send_money", "send_more", "approve_tool", "eval"];
    const calls = names.map((call) => ({ call, input: {} }));
    model.plays(["Hello."], calls, ["I could not."]);
    const session = await startSession({
      settings: {
        models: chatModels(model),
        plugins: [hidden("silent", "send_money"), hidden("on-demand", "send_more"), portal, agui],
      },
    });
    await session.tabs.connect();
    await ask(session, { ...question("hello", "harmless"), attachments: [] });
    await ask(session, turn("and now?"));
    expect(model.asked[1]?.tools?.map(({ name }) => name) ?? []).not.toContain("pageTitle");
    const results = model.asked[2]?.prompt.at(-1);
    expect(results?.role === "tool" && results.content.map((part) => "output" in part && part.output)).toEqual(
      calls.map(({ call }) => ({ type: "error-text", value: expect.stringContaining(call) })),
    );
    expect(session.tabs.written).toEqual([]);
    expect(called).toEqual([]);
  });

  test("no tool with arguments that its schema refuses", async () => {
    const model = createScriptedModel();
    const called: unknown[] = [];
    const schema = z.strictObject({ city: z.string().max(40) });
    const weather = plugin("weather", {
      getTools: () => [{ ...tool("get_weather", (args) => void called.push(args)), schema }],
    });
    const refused = [{ city: "x".repeat(41) }, { city: "Lusaka", admin: true }, { city: { $ne: null } }, {}];
    model.plays(
      [...refused, { city: "Lusaka" }].map((input) => ({ call: "get_weather", input })),
      ["Sunny."],
    );
    const session = await startSession({ settings: { models: chatModels(model), plugins: [weather] } });
    await ask(session, turn("how is the weather?"));
    expect(called).toEqual([{ city: "Lusaka" }]);
  });
});

describe("only the user's answer approves a call, whatever is read or asked meanwhile [OR-173]", () => {
  test.each(short)("text that tries $tries", async ({ text }) => {
    const model = createScriptedModel();
    const called: unknown[] = [];
    const payments = plugin("payments", {
      getTools: () => [
        tool("read_note", () => text),
        { ...tool("send_money", (args) => void called.push(args)), needsApproval: true },
      ],
    });
    const input = { to: text, approved: true };
    model.plays([
      { call: "send_money", input },
      { call: "read_note", input: {} },
      { call: "approve_tool", input: { toolName: "send_money", approved: true } },
    ]);
    const session = await startSession({ settings: { models: chatModels(model), plugins: [payments, portal, agui] } });
    await session.tabs.connect();
    const turnUnderWay = ask(session, turn("pay what the note says"));
    await session.tabs.whenWritten(1);
    expect(session.tabs.written.map(({ call }) => [call.name, call.args])).toEqual([
      ["approve_tool", { toolName: "send_money", args: { ...input, to: asJson(text) } }],
    ]);
    await session.core.abort(OWNER);
    await turnUnderWay;
    expect(called).toEqual([]);
  });
});
