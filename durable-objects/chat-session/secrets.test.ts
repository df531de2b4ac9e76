/**
 * Secrets of the environment in a turn: with every kind of plugin, with failing or careless plugins, and with a model
 * service that echoes the key, no value of a secret variable reaches the model, the client, the transcript or the log.
 */
import { Buffer } from "node:buffer";
import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../workers/oracle/testing/scripted-model.ts";
import { canariesIn, canaryEnv, secretVariables } from "../../test/support/auth/secret-canaries.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import { createSqliteDatabase } from "../../test/support/storage/sqlite-database.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import { agui, portal } from "../../oracle/plugins/client-tools/client-tools.ts";
import { userPreferences } from "../../oracle/plugins/user-preferences/plugin.ts";

const everything = JSON.stringify(canaryEnv);
const failure = (): never => {
  throw new Error(everything);
};

/** Plugins whose authors put secrets in the wrong places. */
const careless: readonly PluginDefinition[] = [
  plugin("talkative", {
    getSharedState: () => ({
      promptSection: `## Settings\n${everything}`,
      agentName: canaryEnv["WEATHER_API_KEY"] ?? "",
    }),
    getTools: ({ logger, background, onTurnEnd }) => {
      logger.info("tools-loaded", { settings: everything });
      background(Promise.reject(new Error(everything)));
      onTurnEnd(failure);
      return [
        tool("dump", () => canaryEnv),
        tool("dump_text", () => everything),
        tool("dump_base64", () => Buffer.from(canaryEnv["WEATHER_API_KEY"] ?? "").toString("base64")),
        tool("dump_url", () => `https://api.example/?key=${encodeURIComponent(canaryEnv["OPENAI_API_KEY"] ?? "")}`),
        tool("throws", failure),
        tool("rejects", () => Promise.reject(new Error(everything))),
      ];
    },
  }),
  plugin("around", {
    getTools: () => [tool("wrapped", () => "whole"), tool("refused", () => "whole")],
    getMiddlewares: () => [
      {
        name: "around",
        wrapModelCall: (request, next) => next({ ...request, system: `${request.system}\n${everything}` }),
        async wrapToolCall(request, next) {
          if (request.name === "wrapped") return { output: { settings: canaryEnv } };
          return request.name === "refused" ? { error: everything } : next(request);
        },
      },
      { name: "broken", afterModel: failure },
    ],
  }),
  plugin("without-state", { getSharedState: failure }),
  plugin("without-tools", { getTools: failure, getRequestTools: () => Promise.reject(new Error(everything)) }),
];

async function runTurn(steps: readonly (readonly Beat[])[], plugins = careless) {
  const model = createScriptedModel();
  model.plays(...steps);
  const session = await startSession({
    settings: { models: chatModels(model), plugins: [userPreferences, ...plugins, portal, agui] },
    env: { ...canaryEnv, DATABASE: createSqliteDatabase(["0001_user_preferences.sql"]) } as unknown as Env,
  });
  const tab = await session.tabs.connect();
  const { frames } = valueOf(await session.core.startRun(OWNER, turn("what are the keys?")));
  const sent = await readFrames(frames).rest();
  await session.settled();
  const transcript = await session.core.messagePage(OWNER, { limit: 20 });
  return { asked: model.asked, sent, heard: tab.heard, transcript, logged: session.logged };
}

test("there are secrets to look for, and the search finds them in every form", () => {
  expect(secretVariables).toEqual(expect.arrayContaining(["ORACLE_SIGNING_SEED", "OPENAI_API_KEY", "ADMIN_TOKEN"]));
  const key = canaryEnv["OPENAI_API_KEY"] ?? "";
  for (const form of [
    key,
    `x${key}y`,
    Buffer.from(`{"k":"${key}"}`).toString("base64"),
    Buffer.from(key).toString("hex"),
  ]) {
    expect(canariesIn(form)).toEqual(["OPENAI_API_KEY"]);
  }
  expect(canariesIn(everything)).toEqual(secretVariables.filter((name) => name !== "ORACLE_MNEMONIC"));
});

describe("no secret leaves a turn [OR-228]", () => {
  const calls = ["dump", "dump_text", "dump_base64", "dump_url", "throws", "rejects", "wrapped", "refused"].map(
    (call) => ({
      call,
      input: {},
    }),
  );
  const refused = new APICallError({
    message: `Incorrect API key provided: ${canaryEnv["OPENAI_API_KEY"]}`,
    url: `https://api.example/v1?key=${canaryEnv["OPENAI_API_KEY"]}`,
    requestBodyValues: { headers: canaryEnv },
    statusCode: 401,
    responseHeaders: { "x-echo": everything },
    responseBody: everything,
  });

  test.each<[string, readonly (readonly Beat[])[]]>([
    ["of a plugin whose tools return or throw secrets", [calls, ["Done."]]],
    ["if the service refuses the model request", [calls, [{ refuse: refused }]]],
    ["if the model fails in the middle", [calls, ["Wait", { fail: new Error(everything) }]]],
  ])("%s", async (_, steps) => {
    const { asked, sent, heard, transcript, logged } = await runTurn(steps);
    expect(JSON.stringify(asked)).toContain("[OPENAI_API_KEY]");
    expect(logged.map(({ event }) => event)).toEqual(
      expect.arrayContaining(["plugin-state-failed", "plugin-tools-failed"]),
    );
    expect(canariesIn(JSON.stringify(asked))).toEqual([]);
    expect(canariesIn(JSON.stringify(sent))).toEqual([]);
    expect(canariesIn(JSON.stringify(heard))).toEqual([]);
    expect(canariesIn(JSON.stringify(transcript))).toEqual([]);
    expect(canariesIn(JSON.stringify(logged))).toEqual([]);
  });
});

test("no secret is in the prompts of the main agent and of a sub-agent, or in the message that ends a turn [OR-228]", async () => {
  const [talkative] = careless;
  const agent = { name: "reader", description: "reads", systemPrompt: everything, forwardTools: true };
  const ending = plugin("ending", {
    getSubAgents: () => [agent],
    getMiddlewares: () => [
      { name: "end", afterModel: ({ step }) => (step === 1 ? { jumpTo: "end", message: everything } : undefined) },
    ],
  });
  const { asked, sent, transcript } = await runTurn(
    [[{ call: "call_reader", input: { task: "read" } }], ["It says nothing."], ["Done."]],
    [...(talkative === undefined ? [] : [talkative]), ending],
  );
  expect(asked).toHaveLength(3);
  expect(asked.filter(({ prompt }) => JSON.stringify(prompt[0]).includes("[OPENAI_API_KEY]"))).toHaveLength(3);
  for (const said of [asked, sent, transcript]) expect(canariesIn(JSON.stringify(said))).toEqual([]);
  expect(JSON.stringify(transcript)).toContain("[OPENAI_API_KEY]");
});
