/**
 * The exits of a turn, one at a time: a plugin makes one mistake, and the value of a secret variable must not appear in
 * the model's request, the client's stream, the log or the session's storage. The variable's name there proves that the value
 * would have appeared without the mask.
 */
import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import * as z from "zod";
import { chatModels } from "../../test/support/oracle/chat-settings.ts";
import { OWNER, turn, valueOf } from "../../test/support/oracle/chat-turns.ts";
import { readFrames } from "../../test/support/oracle/frame-reader.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import { startSession } from "../../test/support/oracle/session-in-node.ts";
import type { AgentMiddleware } from "../../oracle/framework/middleware.ts";
import type { PluginDefinition } from "../../oracle/framework/plugin.ts";
import type { PluginTool, ToolContext } from "../../oracle/framework/tools.ts";
import { createScriptedModel } from "../../workers/oracle/testing/scripted-model.ts";
import type { ModelCallRequest } from "../../oracle/framework/model-call.ts";

const secret = "s3cret-of\nthe-weather";
const env = {
  WEATHER_API_KEY: secret,
  PIN_KEY: "123456789012",
  LLM_CREDENTIALS: '{"Authorization":"Bearer 0123456789"}',
};
const BASIC = Buffer.from(`user:${secret}`, "utf8").toString("base64");
const NAME = "[WEATHER_API_KEY]";
const inner = JSON.stringify(secret).slice(1, -1);
const twice = JSON.stringify(inner).slice(1, -1);
const forms = [
  secret,
  inner,
  twice,
  JSON.stringify(twice).slice(1, -1),
  env.PIN_KEY,
  "Bearer 0123456789",
  BASIC.slice(8, -4),
];

/** The places where a session puts data. */
type Exit = "asked" | "sent" | "heard" | "written" | "transcript" | "logged" | "stored";

/** One turn of that plugin: the model calls `work` in its first step, and a page answers every call. */
async function turnOf(parts: Partial<PluginDefinition>): Promise<Readonly<Record<Exit, unknown>>> {
  const model = createScriptedModel();
  model.plays([{ call: "work", input: {} }], ["Done."], ["Done again."]);
  const session = await startSession({
    settings: { models: chatModels(model), plugins: [plugin("careless", parts)] },
    env: env as unknown as Env,
  });
  const tab = await session.tabs.connect();
  const request = turn("work", { tools: [{ name: "look", description: "", schema: {} }] });
  const frames = readFrames(valueOf(await session.core.startRun(OWNER, request)).frames);
  const sent = [];
  for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
    sent.push(frame);
    const { status, toolCallId, toolName } = frame.data;
    if (toolName !== "approve_tool" || status !== "isRunning") continue;
    const outcome = { output: { approved: true } };
    const answer = { kind: "action", invocationId: String(toolCallId), socketId: tab.socketId, outcome } as const;
    expect(session.core.finishCall(answer)).toBeUndefined();
  }
  await session.settled();
  const tables = session.database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const stored = tables.map(({ name }) => session.database.prepare(`SELECT * FROM ${String(name)}`).all());
  const transcript = await session.core.messagePage(OWNER, { limit: 20 });
  const { written } = session.tabs;
  return { asked: model.asked, sent, heard: tab.heard, written, transcript, logged: session.logged, stored };
}

function working(handler: PluginTool["handler"], change: Partial<PluginTool> = {}): Partial<PluginDefinition> {
  return { getTools: () => [{ ...tool("work", handler), ...change }] };
}

function around(middleware: Omit<AgentMiddleware, "name">): Partial<PluginDefinition> {
  return { ...working(() => "worked"), getMiddlewares: () => [{ name: "careless", ...middleware }] };
}

const done = (): string => "done";
const withDefault = { schema: z.object({ key: z.string().default(secret) }) };
const card = { componentName: "card", status: "done", eventId: "e1" } as const;
const asUser: ModelCallRequest["messages"][number] = { role: "user", content: [{ type: "text", text: secret }] };

const mistakes: readonly (readonly [string, Partial<PluginDefinition>, readonly Exit[]])[] = [
  ["a tool's result", working(() => ({ deep: [{ key: secret }] })), ["asked", "sent", "heard", "transcript", "stored"]],
  ["a name in a tool's result", working(() => ({ [secret]: 1 })), ["asked", "sent", "transcript", "stored"]],
  ["JSON in a text", working(() => JSON.stringify({ text: JSON.stringify({ secret }) })), ["asked", "sent", "stored"]],
  ["a basic authorization", working(() => `Basic ${BASIC}`), ["asked", "sent", "transcript"]],
  [
    "the result of a call from middleware",
    around({ wrapToolCall: async () => ({ output: { secret } }) }),
    ["asked", "sent", "transcript"],
  ],
  [
    "the result of a call that middleware changed in place",
    around({
      wrapToolCall: async (request, next) => Object.assign(await next(request), { output: secret }),
    }),
    ["asked", "sent", "transcript"],
  ],
  ["its error", around({ wrapToolCall: async () => ({ error: secret }) }), ["asked", "sent", "transcript"]],
  [
    "a message of middleware",
    around({
      wrapModelCall: (request, next) => next({ ...request, messages: [...request.messages, asUser] }),
    }),
    ["asked"],
  ],
  [
    "a tool that middleware adds",
    around({
      wrapModelCall: (request, next) =>
        next({ ...request, tools: [...request.tools, { name: "more", description: secret, inputSchema: {} }] }),
    }),
    ["asked"],
  ],
  [
    "a call that middleware adds to an answer",
    around({
      async wrapModelCall(request, next) {
        const answer = await next(request);
        return { ...answer, toolCalls: answer.toolCalls.map((call) => ({ ...call, args: { key: secret } })) };
      },
    }),
    ["asked", "sent", "transcript", "stored"],
  ],
  [
    "a text of middleware",
    around({
      async wrapModelCall(request, next) {
        const answer = await next(request);
        return { ...answer, text: answer.text + secret };
      },
    }),
    ["sent", "transcript", "stored"],
  ],
  ["a tool's description", working(done, { description: secret }), ["asked"]],
  ["a tool's schema", working(done, withDefault), ["asked"]],
  [
    "the arguments that a user approves",
    working(done, { ...withDefault, needsApproval: true }),
    ["sent", "heard", "stored"],
  ],
  ["a notice", working((_, ctx) => ctx.notice(secret, secret)), ["sent"]],
  [
    "an emitted event",
    working((_, ctx) => ctx.emit("render_component", { ...card, args: { [secret]: secret } })),
    ["heard"],
  ],
  [
    "the arguments of a call in the page",
    working((_, { callBrowserTool, background }: ToolContext) => {
      background(callBrowserTool("look", { key: secret }).catch(() => undefined));
      return "asked";
    }),
    ["written"],
  ],
  [
    "an error",
    working(() => {
      throw new Error(`${"x".repeat(475)} ${secret}`);
    }),
    ["logged"],
  ],
  ["a log line", working((_, { logger }) => logger.info("worked", { [secret]: [secret] })), ["logged"]],
];

test.each(mistakes)("no secret leaves through %s [OR-228]", async (_, parts, exits) => {
  const left = await turnOf(parts);
  for (const exit of exits) expect(JSON.stringify(left[exit]), exit).toContain(NAME);
  const everything = JSON.stringify(left);
  for (const form of forms) expect(everything).not.toContain(form);
  expect(JSON.stringify(left.transcript)).toContain("Done");
});

test("masking a secret inside JSON or a number keeps a successful call a result [OR-228]", async () => {
  const result = { headers: JSON.parse(env.LLM_CREDENTIALS) as unknown, pin: Number(env.PIN_KEY), sum: 1 };
  const { sent, asked } = await turnOf(working(() => result));
  const shown = { headers: { Authorization: "[LLM_CREDENTIALS]" }, pin: "[PIN_KEY]", sum: 1 };
  expect(JSON.stringify(sent)).toContain(JSON.stringify(JSON.stringify(shown)));
  expect(JSON.stringify(asked)).toContain(JSON.stringify(shown));
});

test("a plugin that throws something without text fails that part alone, not the turn [OR-230]", async () => {
  const throwing = (): never => {
    throw Object.create(null);
  };
  for (const parts of [
    working(throwing),
    { ...working(done), getRequestTools: throwing },
    { ...working(done), getSharedState: throwing },
    working(done, { needsApproval: throwing }),
    around({ beforeModel: throwing }),
    around({ wrapToolCall: throwing }),
    working((_, { background }) => background(Promise.reject(Object.create(null)))),
    working((_, { onTurnEnd }) => onTurnEnd(throwing)),
  ]) {
    const { sent, logged } = await turnOf(parts);
    expect(JSON.stringify((sent as unknown[]).at(-1))).toContain('"status":"finished"');
    expect(JSON.stringify(logged)).toContain("a value that has no text");
  }
});
