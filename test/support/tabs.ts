/** The tabs of a session's user without any wire: who is connected, what each was sent, what all were told. */
import type { ClientCall } from "../../durable-objects/chat-session/client-call-records.ts";
import type { CallSockets } from "../../durable-objects/chat-session/client-calls.ts";
import type { PublishToRoom } from "../../durable-objects/chat-session/plugin-api.ts";

export interface Tabs extends CallSockets {
  /** Socket ids, oldest first; a test adds and removes. */
  readonly connected: string[];
  /** Those that may still come back, each with the time at which it was lost, Unix milliseconds. */
  readonly lost: Map<string, number>;
  /** Connected ones whose writes fail. */
  readonly broken: Set<string>;
  /** The calls that were written, in order. */
  readonly written: readonly { readonly socketId: string; readonly call: ClientCall }[];
  /** What the room was told, in order. */
  readonly told: readonly { readonly name: string; readonly payload: object }[];
  /** Answers once so many calls have been written in all. */
  whenWritten(times: number): Promise<void>;
  readonly publish: PublishToRoom;
  closeAll(): void;
}

export function createTabs(...connected: string[]): Tabs {
  const written: { socketId: string; call: ClientCall }[] = [];
  const told: { name: string; payload: object }[] = [];
  const broken = new Set<string>();
  const lost = new Map<string, number>();
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  return {
    connected,
    broken,
    lost,
    written,
    told,
    whenWritten: (times) =>
      new Promise((resolve) => {
        if (written.length >= times) resolve();
        else waiting.push({ times, resolve });
      }),
    publish: (name, payload) => void told.push({ name, payload: payload as object }),
    closeAll: () => void connected.splice(0),
    choose(preferred) {
      const able = connected.filter((socketId) => !broken.has(socketId));
      return preferred !== undefined && able.includes(preferred) ? preferred : able.at(-1);
    },
    presence(socketId) {
      if (connected.includes(socketId)) return { lostAt: undefined };
      const lostAt = lost.get(socketId);
      return lostAt === undefined ? undefined : { lostAt };
    },
    write(socketId, call) {
      if (broken.has(socketId)) return false;
      written.push({ socketId, call });
      for (const { times, resolve } of waiting) if (written.length >= times) resolve();
      return true;
    },
  };
}
