/**
 * The order of the hooks in a turn, recorded from a turn with two plugins. The table in docs/plugins/guide/turns.md is generated
 * from the same rows; `npm test` writes the recorded order to dist/hook-order.md.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { calling, playTurn } from "../../test/support/oracle/played-turn.ts";
import { plugin, tool } from "../../test/support/plugins/small-plugins.ts";
import type { AgentMiddleware } from "../framework/middleware.ts";
import { HOOK_ORDER } from "./hooks.ts";

const project = resolve(import.meta.dirname, "../..");

/** Records every hook that runs, and both sides of wrap hooks. */
function recorder(name: string, events: string[]): AgentMiddleware {
  return {
    name,
    beforeAgent: () => void events.push(`${name}.beforeAgent`),
    beforeModel: ({ step }) => void events.push(`${name}.beforeModel ${step}`),
    async wrapModelCall(request, next) {
      events.push(`${name}.wrapModelCall in`);
      const result = await next(request);
      events.push(`${name}.wrapModelCall out`);
      return result;
    },
    afterModel: ({ result }) => void events.push(`${name}.afterModel ${result.finishReason}`),
    async wrapToolCall(request, next) {
      events.push(`${name}.wrapToolCall in`);
      const result = await next(request);
      events.push(`${name}.wrapToolCall out`);
      return result;
    },
    afterAgent: ({ step }) => void events.push(`${name}.afterAgent ${step}`),
  };
}

test("hooks run before* in load order, after* in reverse, wrap* as an onion, as the table of the plugin guide says [OR-155]", async () => {
  const events: string[] = [];
  const first = plugin("first", {
    getMiddlewares: () => [recorder("first", events)],
    getTools: () => [tool("look", () => void events.push("the tool runs"))],
  });
  const second = plugin("second", { getMiddlewares: async () => [recorder("second", events)] });
  const { done } = await playTurn([[calling("look")], ["Seen."]], [first, second]);
  expect(done).toMatchObject({ status: "finished" });
  const modelCall = [
    "first.wrapModelCall in",
    "second.wrapModelCall in",
    "second.wrapModelCall out",
    "first.wrapModelCall out",
  ];
  expect(events).toEqual([
    "first.beforeAgent",
    "second.beforeAgent",
    "first.beforeModel 0",
    "second.beforeModel 0",
    ...modelCall,
    "second.afterModel tool_calls",
    "first.afterModel tool_calls",
    "first.wrapToolCall in",
    "second.wrapToolCall in",
    "the tool runs",
    "second.wrapToolCall out",
    "first.wrapToolCall out",
    "first.beforeModel 1",
    "second.beforeModel 1",
    ...modelCall,
    "second.afterModel stop",
    "first.afterModel stop",
    "second.afterAgent 2",
    "first.afterAgent 2",
  ]);

  const hooks = events.flatMap((event) => /\.(\w+)/.exec(event)?.[1] ?? []);
  expect([...new Set(hooks)]).toEqual(HOOK_ORDER.map(({ hook }) => hook));
  const [, table = ""] = readFileSync(join(project, "docs/plugins/guide/turns.md"), "utf8").split(
    "<!-- hook order -->",
  );
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.+?) +\|$/gm)].slice(0, HOOK_ORDER.length);
  expect(rows.map(([, hook, runs, order]) => ({ hook, runs, order }))).toEqual(HOOK_ORDER);

  mkdirSync(join(project, "dist"), { recursive: true });
  const lines = events.map((event, index) => `${index + 1}. ${event}`);
  writeFileSync(join(project, "dist/hook-order.md"), `# Hooks of a turn with one tool call\n\n${lines.join("\n")}\n`);
});
