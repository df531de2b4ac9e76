/** `onText`: middleware receives the text as it is sent to the user, part by part. */
import { expect, test } from "vitest";
import { textOf } from "../../test/support/oracle/frame-reader.ts";
import { calling, playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";

const around = (...middlewares: AgentMiddleware[]) =>
  plugin("around", { getMiddlewares: () => middlewares, getTools: () => [tool("look", () => "seen")] });

function listening() {
  const heard: string[] = [];
  const middleware: AgentMiddleware = { name: "listening", onText: (text) => void heard.push(text) };
  return { heard, middleware };
}

test("in order as it streams, over all steps; without the text of sub-agents [OR-249]", async () => {
  const { heard, middleware } = listening();
  const helper = { name: "helper", description: "helps", systemPrompt: "Help.", forwardTools: true };
  const { frames, session } = await playTurn(
    [["Let ", "me ", calling("call_helper", { task: "x" })], ["Hidden."], ["Here ", "it is."]],
    [around(middleware), plugin("p", { getSubAgents: () => [helper] })],
  );
  expect(heard.join("")).toBe(textOf(frames));
  expect(heard).toEqual(["Let ", "me ", "Here ", "it is."]);
  expect(session.logged.filter(({ event }) => event.startsWith("middleware"))).toEqual([]);
});

test("rewritten text is reported once, as it is sent, and so is the message that ends a turn [OR-249]", async () => {
  const { heard, middleware } = listening();
  const loud: AgentMiddleware = {
    name: "loud",
    rewritesText: true,
    async wrapModelCall(request, next) {
      const result = await next(request);
      return { ...result, text: result.text.toUpperCase() };
    },
    beforeModel: ({ step }) => (step === 1 ? { jumpTo: "end", message: "Enough." } : undefined),
  };
  const { frames } = await playTurn([["Let me ", "see.", calling("look")]], [around(middleware, loud)]);
  expect(heard).toEqual(["LET ME SEE.", "\n\nEnough."]);
  expect(heard.join("")).toBe(textOf(frames));
});

test("an `onText` that throws is logged once and not called again in this turn; other hooks continue [OR-249]", async () => {
  const { heard, middleware } = listening();
  let after = 0;
  const deaf: AgentMiddleware = {
    name: "deaf",
    required: true,
    onText() {
      throw new Error("too loud");
    },
    afterAgent: () => void (after += 1),
  };
  const { session, done } = await playTurn([["One ", "two ", "three."]], [around(deaf, middleware)]);
  expect([done?.["status"], heard.join(""), after]).toEqual(["finished", "One two three.", 1]);
  expect(session.logged.filter(({ event }) => event === "middleware-failed")).toMatchObject([
    { middleware: "deaf", hook: "onText", reason: expect.stringContaining("too loud") },
  ]);
});
