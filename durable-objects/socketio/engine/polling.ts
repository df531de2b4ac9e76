/**
 * The polling transport: one GET at a time waits for packets, one POST at a time brings some. What is sent while no GET
 * waits lies in SQLite, and goes with the next.
 */
import { decodePayload, frameOf, SEPARATOR, sizeOf, textOf, type EnginePacket, type Frame } from "./packets.ts";
import { fallsBehind } from "./back-pressure.ts";
import { readBody } from "./body.ts";
import type { Session, SessionStore } from "./session-store.ts";

interface Settings {
  readonly sessions: SessionStore;
  /** Asked after every wait: the session may be gone by then, and all tables with it. */
  readonly find: (sid: string) => Session | undefined;
  readonly maxPayload: number;
  readonly maxBufferedBytes: number;
  readonly now: () => number;
}

export type Delivery = "sent" | "dropped" | "slow";
export type Posted = "taken" | "overlap" | "binary" | "too large" | "too slow" | "gone" | "malformed";

export type Polling = ReturnType<typeof createPolling>;

export function createPolling({ sessions, find, maxPayload, maxBufferedBytes, now }: Settings) {
  const waiting = new Map<string, (payload: string | undefined) => void>();
  /** When each session last fetched something, Unix milliseconds; after an eviction the time of that counts. */
  const fetchedAt = new Map<string, number>();
  const startedAt = now();
  const posting = new Set<string>();

  /** Answers the poll that waits, if one does; undefined refuses it. */
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

    /** What waits, at once; else what comes first, undefined for a refusal. The caller has seen to it that no other poll waits. */
    poll(sid: string): string | Promise<string | undefined> {
      const packets = sessions.takeWaiting(sid);
      fetchedAt.set(sid, now());
      if (packets.length > 0) return packets.join(SEPARATOR);
      return new Promise((resolve) => waiting.set(sid, resolve));
    },

    send(sid: string, frames: readonly Frame[], volatile = false): Delivery {
      const texts = frames.map(textOf);
      if (answer(sid, texts.join(SEPARATOR))) return "sent";
      if (volatile) return "dropped";
      const size = frames.reduce((sum, frame) => sum + sizeOf(frame), sessions.waitingSize(sid));
      if (fallsBehind(size, now() - (fetchedAt.get(sid) ?? startedAt), maxBufferedBytes)) return "slow";
      for (const text of texts) sessions.lay(sid, text);
      return "sent";
    },

    /** Hands each packet of the body on, until `receive` says that the session is over. */
    async post(sid: string, request: Request, receive: (packet: EnginePacket) => boolean): Promise<Posted> {
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
        return "taken";
      } finally {
        posting.delete(sid);
      }
    },

    forget: (sid: string) => void fetchedAt.delete(sid),

    /** The packets that waited for a poll, for the transport that takes over; a poll that waits comes too late. */
    handOver(sid: string): readonly Frame[] {
      answer(sid, undefined);
      return sessions.takeWaiting(sid).map(frameOf);
    },
  };
}
