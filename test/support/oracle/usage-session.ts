/** A session whose model reports its usage, and the part of the usage that was counted. */
import { chatModels } from "./chat-settings.ts";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import { startSession, type SessionInNode, type SessionParts } from "./session-in-node.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import { createGate, createScriptedModel, type Beat } from "../../../workers/oracle/testing/scripted-model.ts";

export const used = (input: number, output: number): Beat => ({ finish: "stop", used: [input, output] });
export const SILENCE = Symbol("silence");

/** A beat that never ends, and a promise that resolves when the answer has been read up to it. */
function silence(): { readonly beat: Beat; readonly reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { opened, open } = createGate();
  const gate = {
    get opened() {
      resolve();
      return opened;
    },
    open,
  };
  return { beat: { wait: gate }, reached: promise };
}

export async function open(
  steps: readonly (readonly (Beat | typeof SILENCE)[])[],
  plugins: readonly PluginDefinition[] = [],
  parts: Omit<SessionParts, "settings"> = {},
  maxRetries = 0,
) {
  const model = createScriptedModel();
  const { beat, reached } = silence();
  model.plays(...steps.map((beats) => beats.map((each) => (each === SILENCE ? beat : each))));
  const models = { ...chatModels(model, 1_000_000), maxRetries };
  const session = await startSession({ ...parts, settings: { models, plugins } });
  /** Starts a turn whose client disconnects, and follows it to the point where its model falls silent. */
  async function begin(message: string): Promise<void> {
    const { frames } = valueOf(await session.core.startRun(OWNER, turn(message)));
    await frames.cancel();
    await reached;
  }
  return { session, begin };
}

/** The latest report to the user vault about each run. */
export function counted({ touches }: SessionInNode): readonly number[] {
  const latest = new Map(touches.flatMap(({ spent = [] }) => spent.map(({ runKey, tokens }) => [runKey, tokens])));
  return [...latest.values()];
}
