/** A plugin that declares which turns it is for is called only in those turns; hooks that it does not have cost nothing. */
import { expect, test } from "vitest";
import { playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin } from "../../test/support/plugins/small-plugins.ts";
import type { RunRequest } from "../run-request.ts";

const file = { filename: "report.txt", mimetype: "text/plain" };
const page = { name: "show_map", description: "Shows a map", schema: { type: "object" } };

const parts = ["attachments", "browser-tools", "actions"] as const;

test.each<[string, Partial<RunRequest>, readonly (typeof parts)[number][]]>([
  ["with nothing beside its message", {}, []],
  ["with an attachment", { attachments: [file] }, ["attachments"]],
  ["with a tool of the browser", { tools: [page] }, ["browser-tools"]],
  ["with an action", { agActions: [page] }, ["actions"]],
])("a turn %s calls the plugins for such turns", async (_, request, called) => {
  const asked: string[] = [];
  const counting = parts.map((part) => plugin(part, { turnsWith: [part], getTools: () => (asked.push(part), []) }));
  const always = plugin("always", { getTools: () => (asked.push("always"), []) });
  const { done } = await playTurn([["Hi."]], [...counting, always], request);
  expect(done).toMatchObject({ status: "finished" });
  expect(asked.toSorted()).toEqual([...called, "always"].toSorted());
});
