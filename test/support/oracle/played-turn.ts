/** One turn of a real session with a scripted model, run to its end. */
import type { RunRequest } from "../../../oracle/run-request.ts";
import type { PluginDefinition } from "../../../oracle/framework/plugin.ts";
import { chatModels } from "./chat-settings.ts";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import { readFrames, type ReadFrame } from "./frame-reader.ts";
import { createScriptedModel, type Beat, type ScriptedModel } from "../../../workers/oracle/testing/scripted-model.ts";
import { startSession, type SessionInNode, type SessionParts } from "./session-in-node.ts";

export interface PlayedTurn {
  readonly model: ScriptedModel;
  readonly session: SessionInNode;
  readonly frames: readonly ReadFrame[];
  readonly done: ReadFrame["data"] | undefined;
  /** The system prompts of the model's requests. */
  readonly prompts: readonly string[];
}

/** A session whose model plays these steps, before its first message. */
export async function openPlay(
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[],
  settings: SessionParts["settings"] = {},
): Promise<{ readonly model: ScriptedModel; readonly session: SessionInNode }> {
  const model = createScriptedModel();
  model.plays(...steps);
  return { model, session: await startSession({ settings: { models: chatModels(model), plugins, ...settings } }) };
}

/** Sends a message and follows its turn to the end. */
export async function say(
  session: SessionInNode,
  message: string,
  change: Partial<RunRequest> = {},
): Promise<readonly ReadFrame[]> {
  const started = valueOf(await session.core.startRun(OWNER, turn(message, change)));
  const frames = await readFrames(started.frames).rest();
  await session.settled();
  return frames;
}

export async function playTurn(
  steps: readonly (readonly Beat[])[],
  plugins: readonly PluginDefinition[],
  change: Partial<RunRequest> = {},
): Promise<PlayedTurn> {
  const { model, session } = await openPlay(steps, plugins);
  const frames = await say(session, "go", change);
  return { model, session, frames, done: frames.at(-1)?.data, prompts: promptsOf(model) };
}

export function promptsOf({ asked }: ScriptedModel): readonly string[] {
  return asked.map(({ prompt }) => String(prompt[0]?.content));
}

/** The records of the session, oldest first. */
export async function recordsOf(session: SessionInNode) {
  return valueOf(await session.core.messagePage(OWNER, { limit: 100 })).messages;
}

/** A tool call, as a beat of the model. */
export function calling(name: string, input: Extract<Beat, { call: string }>["input"] = {}): Beat {
  return { call: name, input };
}
