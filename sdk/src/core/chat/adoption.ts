/** Takes over the messages that pages left unsent, now or as soon as those pages are gone. */
import type { Queue } from "./queue.ts";
import type { QueueOwner } from "./queue-owner.ts";

export interface AdoptionOptions {
  readonly queue: Queue;
  readonly owner: QueueOwner;
  /** There is something to send. */
  onAdopted(): void;
}

export function createAdoption({ queue, owner, onAdopted }: AdoptionOptions) {
  /** The pages whose end is waited for. */
  const awaited = new Set<string>();

  async function take(other: string, signal: AbortSignal): Promise<void> {
    awaited.add(other);
    try {
      await owner.whenGone(other, signal, async () => {
        // A chat that has stopped meanwhile would hold on to what it never sends.
        if (!signal.aborted) await queue.adopt((owner) => owner === other);
      });
    } catch {
      // Locks are forbidden here: the next look decides.
      return;
    } finally {
      awaited.delete(other);
    }
    if (!signal.aborted) onAdopted();
  }

  /** Looks what there is; resolves before the pages that still live are gone. */
  return async (signal: AbortSignal): Promise<void> => {
    const others = await queue.adopt(() => !owner.canWait);
    for (const other of others) if (!awaited.has(other)) void take(other, signal);
  };
}
