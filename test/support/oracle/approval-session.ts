/** A session whose model calls a tool that needs an approval. */
import { chatModels } from "./chat-settings.ts";
import { received, start } from "./lost-runs.ts";
import { plugin, tool } from "../plugins/small-plugins.ts";
import { createScriptedModel, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { startSession } from "./session-in-node.ts";
import type { PluginTool } from "../../../oracle/framework/tools.ts";
import type { JsonValue } from "../../../platform/json.ts";

export const pay: Beat = { call: "pay", input: { amount: 5, to: "Amina" } };
export const HOUR_MS = 60 * 60 * 1000;

/** A session whose model wants to call `pay`, which has to be approved. */
export async function setUp(
  change: Partial<PluginTool> = {},
  steps: readonly (readonly Beat[])[] = [[pay], ["Done."]],
) {
  const paid: unknown[] = [];
  const model = createScriptedModel();
  model.plays(...steps);
  const declared = tool("pay", (args) => {
    paid.push(args);
    return "paid";
  });
  const plugins = [plugin("bank", { getTools: () => [{ ...declared, needsApproval: true, ...change }] })];
  const session = await startSession({ settings: { models: chatModels(model), plugins } });
  return { session, model, paid };
}

/** The same session, played until the user is asked. */
export async function asked(...parts: Parameters<typeof setUp>) {
  const set = await setUp(...parts);
  const runId = await start(set.session, "pay Amina");
  await received(set.session, runId, ({ event }) => event === "action_call");
  return { ...set, runId, id: idOf(set.session) };
}

type Session = Awaited<ReturnType<typeof startSession>>;

export function idOf({ database }: Session): string {
  return String(database.prepare("SELECT id FROM approvals").get()?.["id"]);
}

/** The text that the model reads about its call. */
export function outcomeOf({ asked: requests }: ReturnType<typeof createScriptedModel>, request = 1): unknown {
  const content = requests[request]?.prompt.at(-1)?.content;
  return Array.isArray(content) ? (content[0] as { output?: { value?: unknown } }).output?.value : content;
}

export function answer(session: Session, id: string, result: JsonValue): string | undefined {
  return session.core.finishCall({
    kind: "action",
    invocationId: id,
    socketId: "tab",
    outcome: { output: result },
  });
}
