/** Chat sessions inside workerd: the deployed class over the built-in model, or the scripted one. */
import type { ChatSessionRpc } from "../../../durable-objects/chat-session/calls.ts";
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { OWNER, sessionRecord, turn, valueOf } from "../../support/oracle/chat-turns.ts";
import { readFrames, type FrameReader } from "../../support/oracle/frame-reader.ts";

export interface ChatSessionUnderTest {
  readonly id: string;
  /** The stub for `cloudflare:test`; calls go through `chat`. */
  readonly stub: DurableObjectStub;
  readonly chat: ChatSessionRpc;
}

/** A session of OWNER. */
export async function newSession(kind: "deployed" | "scripted", owner = OWNER): Promise<ChatSessionUnderTest> {
  const session = unmadeSession(kind);
  await session.chat.create(owner, sessionRecord(session.id));
  return session;
}

/** A session that was never created. */
export function unmadeSession(kind: "deployed" | "scripted"): ChatSessionUnderTest {
  const id = crypto.randomUUID();
  const namespace = kind === "deployed" ? env.CHAT_SESSION : env.SCRIPTED_CHAT_SESSION;
  // A new stub each time: one whose object was lost stays broken.
  return {
    id,
    get stub() {
      return namespace.getByName(id);
    },
    get chat() {
      return namespace.getByName(id) as unknown as ChatSessionRpc;
    },
  };
}

/**
 * Every object loses its memory in the middle of its work, as in a crash. `evictDurableObject` does not help here,
 * because it waits for work in progress to end.
 */
export async function loseMemory(): Promise<void> {
  await abortAllDurableObjects();
}

export interface StreamedTurn {
  readonly runId: string;
  readonly frames: FrameReader;
}

export async function start({ chat }: ChatSessionUnderTest, ...parts: Parameters<typeof turn>): Promise<StreamedTurn> {
  const { runId, frames } = valueOf(await chat.startRun(OWNER, turn(...parts)));
  return { runId, frames: readFrames(frames) };
}

export async function follow({ chat }: ChatSessionUnderTest, runId: string, after = 0): Promise<FrameReader> {
  return readFrames(valueOf(await chat.followRun(OWNER, runId, after)).frames);
}
