/** Runs a message with a scripted model and plugins, to its end. */
import type { RunRequest } from "../../../oracle/run-request.ts";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import { readFrames, type ReadFrame } from "./frame-reader.ts";
import type { Beat } from "../../../workers/oracle/testing/scripted-model.ts";
import { openPlay } from "./played-turn.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";

/** Runs one turn over the script to its end. */
export async function play(
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[],
  change: Partial<RunRequest> = {},
) {
  const { model, session } = await openPlay(steps, plugins);
  const started = valueOf(await session.core.startRun(OWNER, turn("go", change)));
  const frames = await readFrames(started.frames).rest();
  const [, answer] = valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages;
  await session.settled();
  const events = session.logged.map(({ event }) => event);
  return { model, frames, answer, events, logged: session.logged, done: frames.at(-1)?.data, calls: callsOf(frames) };
}

/** The last frame of each call, in order of their end. */
function callsOf(frames: readonly ReadFrame[]) {
  return frames
    .filter(({ event, data }) => ["tool_call", "action_call"].includes(event) && data["status"] !== "isRunning")
    .map(({ data: { toolName, status, output, error } }) => ({ toolName, status, output, error }));
}

export const call = (name: string, input = {}): Beat => ({ call: name, input });

export const broken = (): never => {
  throw new Error("broken plugin");
};
