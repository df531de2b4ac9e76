/**
 * What follows when the AI SDK aborts a stream: it means `stop`, or that the chat resumes once more, as React's StrictMode makes it
 * do. The second begins in the same task, so the turn is ended one task later unless the chat has resumed by then.
 */
export interface Stops {
  /** Listens until `over` is called; `left` tells whoever reads the run. */
  listen(chatId: string, signal: AbortSignal | undefined): { readonly left: AbortController; over(): void };
  /** The chat resumes: a stop of this very task was none. Resolves when an earlier one has reached the oracle. */
  resumes(chatId: string): Promise<void>;
  /** Resolves when a stop has reached the oracle, so that it cannot end what is sent next. */
  settled(chatId: string): Promise<void>;
}

export function createStops(abort: (chatId: string) => Promise<void>): Stops {
  interface PendingStop {
    isMeant: boolean;
    done: Promise<void>;
  }
  const pending = new Map<string, PendingStop>();

  function stop(chatId: string): void {
    const entry: PendingStop = { isMeant: true, done: Promise.resolve() };
    pending.set(chatId, entry);
    entry.done = carryOut(chatId, entry);
  }

  async function carryOut(chatId: string, entry: PendingStop): Promise<void> {
    await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    if (entry.isMeant) await abort(chatId);
    if (pending.get(chatId) === entry) pending.delete(chatId);
  }

  return {
    listen(chatId, signal) {
      const left = new AbortController();
      const onAbort = (): void => {
        left.abort();
        stop(chatId);
      };
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
      return { left, over: () => signal?.removeEventListener("abort", onAbort) };
    },
    resumes(chatId) {
      const entry = pending.get(chatId);
      if (entry !== undefined) entry.isMeant = false;
      return entry?.done ?? Promise.resolve();
    },
    settled: (chatId) => pending.get(chatId)?.done ?? Promise.resolve(),
  };
}
