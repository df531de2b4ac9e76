/**
 * The polling transport: one GET at a time waits for packets, one POST at a time delivers some. Packets that are sent while no
 * GET waits are buffered in SQLite for the next one.
 */
import { readBody } from "./http.ts";
import { isTooSlow } from "./limits.ts";
import { decodePayload, frameOf, SEPARATOR, sizeOf, textOf, type EnginePacket, type Frame } from "./packets.ts";
import type { Session, Sessions } from "./sessions.ts";

interface PollingDependencies {
  readonly sessions: Sessions;
  /** Used after every wait: the session may have ended, and all tables with it. */
  readonly find: (sid: string) => Session | undefined;
  readonly maxPayload: number;
  readonly maxBufferedBytes: number;
  readonly now: () => number;
}

export type SendResult = "sent" | "dropped" | "slow";
export type PostResult = "ok" | "overlap" | "binary" | "too large" | "too slow" | "gone" | "malformed";

export type Polling = ReturnType<typeof createPolling>;

export function createPolling({ sessions, find, maxPayload, maxBufferedBytes, now }: PollingDependencies) {
  const waiting = new Map<string, (payload: string | undefined) => void>();
  /** When each session last fetched something, Unix milliseconds; after an eviction, `startedAt` counts. */
  const fetchedAt = new Map<string, number>();
  const startedAt = now();
  const posting = new Set<string>();

  /** Answers the waiting poll, if any; undefined makes it fail. */
  function answer(sid: string, payload: string | undefined): boolean {
    const resolve = waiting.get(sid);
    if (resolve === undefined) return false;
    waiting.delete(sid);
    fetchedAt.set(sid, now());
    resolve(payload);
    return true;
  }

  return {
    isWaiting: (sid: string) => waiting.has(sid),
    answer,

    /** Buffered packets at once, or the next ones; undefined: the poll fails. No other poll of the session may wait. */
    poll(sid: string): string | Promise<string | undefined> {
      const packets = sessions.takeBuffered(sid);
      fetchedAt.set(sid, now());
      if (packets.length > 0) return packets.join(SEPARATOR);
      return new Promise((resolve) => waiting.set(sid, resolve));
    },

    send(sid: string, frames: readonly Frame[], volatile = false): SendResult {
      const texts = frames.map(textOf);
      if (answer(sid, texts.join(SEPARATOR))) return "sent";
      if (volatile) return "dropped";
      const size = frames.reduce((sum, frame) => sum + sizeOf(frame), sessions.bufferedSize(sid));
      if (isTooSlow(size, now() - (fetchedAt.get(sid) ?? startedAt), maxBufferedBytes)) return "slow";
      for (const text of texts) sessions.buffer(sid, text);
      return "sent";
    },

    /** Passes each packet of the body to `receive`, until that returns false: the session has ended. */
    async post(sid: string, request: Request, receive: (packet: EnginePacket) => boolean): Promise<PostResult> {
      if (posting.has(sid)) return "overlap";
      if (request.headers.get("content-type") === "application/octet-stream") return "binary";
      posting.add(sid);
      try {
        const body = await readBody(request, maxPayload);
        if (typeof body === "string") return body;
        const session = find(sid);
        if (session === undefined || session.closing || session.transport !== "polling") return "gone";
        for (const packet of decodePayload(body.text)) {
          if (packet === undefined) return "malformed";
          if (!receive(packet)) break;
        }
        return "ok";
      } finally {
        posting.delete(sid);
      }
    },

    forget: (sid: string) => void fetchedAt.delete(sid),

    /** The buffered packets, for the websocket that takes over; a poll that still waits fails. */
    takeFrames(sid: string): readonly Frame[] {
      answer(sid, undefined);
      return sessions.takeBuffered(sid).map(frameOf);
    },
  };
}
