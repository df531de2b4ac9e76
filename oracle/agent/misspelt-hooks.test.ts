/** Middleware whose hooks are never called is named in the log, and fails the run if it is a gate. */
import { expect, test } from "vitest";
import { calling, playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware, EndTurn } from "../framework/middleware.ts";

const end: EndTurn = { jumpTo: "end", message: "Enough." };

class Gate {
  readonly name = "gate";
  readonly required: boolean;

  constructor(required: boolean) {
    this.required = required;
  }

  beforeagent(): EndTurn {
    return end;
  }
}

const playWith = (middleware: AgentMiddleware) =>
  playTurn(
    [["Let me see.", calling("look")], ["Here it is."]],
    [plugin("around", { getMiddlewares: () => [middleware], getTools: () => [tool("look", () => "seen")] })],
  );

test.each<[string, (required: boolean) => object, readonly string[]]>([
  ["a hook in other letters", (required) => ({ name: "gate", required, beforeagent: () => end }), ["beforeagent"]],
  [
    "one that does not exist",
    (required) => ({ name: "gate", required, beforeModel: () => undefined, wrapModel: () => end }),
    ["wrapModel"],
  ],
  ["text in other letters", (required) => ({ name: "gate", required, ontext: () => undefined }), ["ontext"]],
  ["an event that nobody reports", (required) => ({ name: "gate", required, onAnswer: () => undefined }), ["onAnswer"]],
  ["a method of a class", (required) => new Gate(required), ["beforeagent"]],
  ["nothing", (required) => ({ name: "gate", required }), ["no hook"]],
])("%s: logs one line, and fails the turn if it is a gate [OR-179]", async (_, make, members) => {
  const warned = { event: "middleware-misspelt", plugin: "around", middleware: "gate", members };
  const open = await playWith(make(false) as AgentMiddleware);
  expect(open.done).toMatchObject({ status: "finished" });
  expect(open.session.logged.filter(({ event }) => event === warned.event)).toMatchObject([warned]);
  const closed = await playWith(make(true) as AgentMiddleware);
  expect(closed.frames.at(-2)?.data).toMatchObject({ code: "gate_failed" });
  expect(closed.model.asked).toEqual([]);
});

test("members with other names are ignored [OR-179]", async () => {
  const own = { name: "own", beforeAgent: () => undefined, seconds: () => 1, wrapped: 5 } as AgentMiddleware;
  const { session } = await playWith(own);
  expect(session.logged.map(({ event }) => event)).not.toContain("middleware-misspelt");
});
