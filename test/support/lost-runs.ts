/** Runs in a session in Node whose memory a test throws away: begun, followed, waited for. */
import { createScriptedModel } from "./scripted-model.ts";
import { chatModels } from "./chat-settings.ts";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import { readFrames, type ReadFrame } from "./frame-reader.ts";
import { startSession, type SessionInNode, type SessionParts } from "./session-in-node.ts";

/** Frames of an attempt are numbered from its multiple of this on. */
export const ATTEMPT_STRIDE = 2 ** 32;

export async function setUp(settings: SessionParts["settings"] = {}) {
  const model = createScriptedModel();
  const session = await startSession({ settings: { models: chatModels(model), ...settings } });
  return { model, session };
}

/** The frames above `after` of the run, to its end. */
export async function follow({ core }: SessionInNode, runId: string, after = 0): Promise<readonly ReadFrame[]> {
  return readFrames(valueOf(await core.followRun(OWNER, runId, after)).frames).rest();
}

export async function start(session: SessionInNode, ...parts: Parameters<typeof turn>): Promise<string> {
  const { runId, frames } = valueOf(await session.core.startRun(OWNER, turn(...parts)));
  await frames.cancel();
  return runId;
}

/** Answers once the run has sent such a frame. */
export async function received(
  { core }: SessionInNode,
  runId: string,
  meant: (frame: ReadFrame) => boolean,
): Promise<void> {
  const reader = readFrames(valueOf(await core.followRun(OWNER, runId, 0)).frames);
  await reader.until(meant);
  await reader.cancel();
}
