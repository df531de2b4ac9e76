/**
 * Which page sends a stored message: the one that stored it, for as long as it lives; then the first that asks. Each page holds
 * a Web Lock as long as it has messages to send, and the browser frees it with the page. Without Web Locks nobody can tell, so
 * every page sends what it finds, and the oracle takes each message once.
 */
import type { Environment } from "./environment.ts";

export interface QueueOwner {
  readonly id: string;
  /** Whether it can be known that another page lives. */
  readonly canWait: boolean;
  /** Resolves once other pages can see that this one is there. */
  hold(): Promise<void>;
  release(): void;
  /** Runs the work while nobody else does and the page `owner` is gone; never runs it when the signal ends the wait. */
  whenGone(owner: string, signal: AbortSignal, work: () => Promise<void>): Promise<void>;
}

const lockName = (owner: string): string => `twinedge-queue-${owner}`;

export function createQueueOwner({ locks, newId }: Pick<Environment, "locks" | "newId">): QueueOwner {
  const id = newId();
  let held: { readonly granted: Promise<void>; readonly release: () => void } | undefined;

  function acquire(locks: NonNullable<Environment["locks"]>): NonNullable<typeof held> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const granted = new Promise<void>((resolve) => {
      locks
        .request(lockName(id), {}, async () => {
          resolve();
          await released;
        })
        // A page without access to locks sends all the same.
        .catch(() => resolve());
    });
    return { granted, release };
  }

  return {
    id,
    canWait: locks !== undefined,
    hold() {
      if (locks === undefined) return Promise.resolve();
      held ??= acquire(locks);
      return held.granted;
    },
    release() {
      held?.release();
      held = undefined;
    },
    async whenGone(owner, signal, work) {
      if (locks === undefined) return work();
      await locks.request(lockName(owner), { signal }, work).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
  };
}
