/**
 * Sessions whose memory is lost during a run: the interface of a session for the recovery suite, and how its runs are started and
 * followed.
 */
import type { ChatSessionRpc } from "../../../durable-objects/chat-session/calls.ts";
import { expect } from "vitest";
import { OWNER, turn, valueOf } from "./chat-turns.ts";
import type { SettingsChange } from "./chat-settings.ts";
import { readFrames, type ReadFrame } from "./frame-reader.ts";
import type { Beat, ScriptedModel } from "../../../workers/oracle/testing/scripted-model.ts";

/** Attempt n numbers its frames from n times this. */
export const ATTEMPT_STRIDE = 2 ** 32;

type Row = Readonly<Record<string, unknown>>;

/** A session over storage that outlives its memory. */
export interface RecoverableSession {
  readonly sessionId: string;
  /** The current object; a new one after its memory was lost. */
  readonly core: ChatSessionRpc;
  readonly model: ScriptedModel;
  /** Loses the memory, as in a crash or an eviction. The new object has received no call yet. */
  loseMemory(): Promise<void>;
  /** Fires the alarm, as the runtime does when it is due. */
  fireAlarm(): Promise<void>;
  sql(statement: string): Promise<readonly Row[]>;
  /** Whether the oracle's configuration is valid. */
  configure(isValid: boolean): void;
}

/** Opens a session of OWNER whose model plays these steps. */
export type OpenRecoverable = (
  steps: readonly (readonly Beat[])[],
  settings?: Pick<SettingsChange, "plugins">,
) => Promise<RecoverableSession>;

type Running = Pick<RecoverableSession, "core">;

/** The frames above `after` of the run, to its end. */
export async function follow({ core }: Running, runId: string, after = 0): Promise<readonly ReadFrame[]> {
  return readFrames(valueOf(await core.followRun(OWNER, runId, after)).frames).rest();
}

/** Starts a run whose client disconnects at once. */
export async function start({ core }: Running, ...message: Parameters<typeof turn>): Promise<string> {
  const { runId, frames } = valueOf(await core.startRun(OWNER, turn(...message)));
  await frames.cancel();
  return runId;
}

/** Waits until the run has sent such a frame. */
export async function received(
  { core }: Running,
  runId: string,
  matches: (frame: ReadFrame) => boolean,
  after = 0,
): Promise<void> {
  const reader = readFrames(valueOf(await core.followRun(OWNER, runId, after)).frames);
  await reader.until(matches);
  await reader.cancel();
}

/**
 * Waits until the model has received this many requests. It polls: a test that is resumed by a promise of the object's own context
 * must not abort the object there, since workerd then crashes.
 */
export async function whenAsked({ model }: Pick<RecoverableSession, "model">, times: number): Promise<void> {
  await expect.poll(() => model.asked.length, { interval: 2 }).toBeGreaterThanOrEqual(times);
}

export async function transcript({ core }: Running) {
  return valueOf(await core.messagePage(OWNER, { limit: 100 })).messages;
}

export async function contents(session: Running): Promise<readonly string[]> {
  return (await transcript(session)).map(({ content }) => content);
}
