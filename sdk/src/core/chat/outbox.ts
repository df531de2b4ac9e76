/**
 * Sends the messages of a chat's queue, one turn after the other, and stores the result of each: accepted, refused, or
 * to be sent again when the oracle can be reached.
 */
import type { ChatCallbacks, SendOptions } from "../chat.ts";
import { errorOf, OfflineError, RequestError, retryAfterOf } from "../errors.ts";
import type { Environment } from "../environment.ts";
import type { ChatState } from "./chat-state.ts";
import type { Queue, StoredMessage } from "./queue.ts";
import type { Delivery, TurnRunner } from "./turn-runner.ts";

/** Milliseconds before each attempt to reach the oracle again. The last value repeats. */
export const OFFLINE_WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 30_000] as const;
/**
 * Milliseconds: the longest wait that the client accepts from the oracle. After it, the client sends again, or the
 * message fails.
 */
export const LONGEST_WAIT_MS = 60_000;
/**
 * Milliseconds that storing a message may take. After that, the message is sent anyway, because a browser's storage may
 * hang.
 */
const STORING_MS = 1000;

export interface OutboxOptions {
  readonly queue: Queue;
  readonly state: ChatState;
  readonly runner: TurnRunner;
  readonly environment: Environment;
  readonly callbacks: () => ChatCallbacks;
  /** The chat is retained. */
  isOpen(): boolean;
  /** Resolves when the session's state is known; `false` if an earlier run must be rejoined first. */
  whenOpened(): Promise<boolean>;
  /** The chat is idle. */
  next(): void;
  /** A turn has ended, so the transcript must be read again. */
  onEnded(): void;
}

export function createOutbox(options: OutboxOptions) {
  const { queue, state, runner, environment, callbacks, isOpen, whenOpened, onEnded, next } = options;
  const promises = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>();
  let attempts = 0;
  let cancelRetry: (() => void) | undefined;
  /** The earliest time of the next request that the oracle accepts, in milliseconds since 1970. */
  let notBefore = 0;
  /** The message whose refusal is the chat's error. */
  let refusedId: string | undefined;
  let isChanging = false;

  function show(): void {
    if (!isChanging) state.set({ queue: queue.visible() });
  }

  /** Shows several changes in one update. */
  function batch(work: () => void): void {
    isChanging = true;
    try {
      work();
    } finally {
      isChanging = false;
      show();
    }
  }

  function settle(id: string, error?: unknown): void {
    const promise = promises.get(id);
    promises.delete(id);
    if (error === undefined) promise?.resolve();
    else promise?.reject(error);
  }

  function pump(): void {
    if (!isOpen() || runner.active() !== undefined || cancelRetry !== undefined) return;
    const wait = notBefore - environment.now();
    if (wait > 0 && queue.hasNext()) {
      cancelRetry = environment.after(wait, retry);
      return;
    }
    const item = queue.take();
    if (item !== undefined) void deliver(item);
  }

  async function deliver(item: StoredMessage): Promise<void> {
    const delivery = await runner.deliver(item, async () => {
      const isFree = await whenOpened();
      if (!isFree || queue.isBehindOthers(item.id)) return false;
      await soon(queue.trying(item.id));
      return true;
    });
    concluded(item, delivery);
    next();
  }

  function soon(stored: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = environment.after(STORING_MS, resolve);
      void stored.finally(cancel).then(resolve);
    });
  }

  function concluded({ id }: StoredMessage, delivery: Delivery): void {
    switch (delivery.kind) {
      case "ended":
        attempts = 0;
        // Later messages were meant to follow an answer. A stop has already paused the queue.
        if (delivery.ended !== "done" && delivery.ended !== null && !runner.wasStopped()) queue.pause();
        onEnded();
        settle(id);
        return;
      case "cancelled":
        void queue.remove(id);
        settle(id);
        return;
      case "postponed":
        if (queue.isTaken(id)) void queue.putBack(id, "waiting");
        return;
      case "refused":
        refused(id, delivery.error);
    }
  }

  function refused(id: string, error: unknown): void {
    const wait = retryAfterOf(error);
    const isBusy = error instanceof RequestError && error.status === 429 && wait > 0 && wait <= LONGEST_WAIT_MS;
    if (isBusy || isUnreachable(error)) {
      notBefore = environment.now() + Math.min(wait, LONGEST_WAIT_MS);
      void queue.putBack(id, isBusy ? "waiting" : "offline");
      retryLater();
      return;
    }
    if (error instanceof RequestError && error.code === "message_already_answered") {
      void queue.remove(id);
      onEnded();
      settle(id);
      return;
    }
    attempts = 0;
    const failure = errorOf(error);
    void queue.putBack(id, "failed", failure);
    if (!isAboutTheMessage(error)) queue.pause();
    if (error instanceof RequestError && error.status === 402) {
      callbacks().onPaymentRequired?.(error.claims ?? []);
      settle(id);
      return;
    }
    refusedId = id;
    state.set({ status: "error", error: failure });
    settle(id, failure);
  }

  function retryLater(): void {
    if (!isOpen()) return;
    const wait = OFFLINE_WAITS_MS[Math.min(attempts, OFFLINE_WAITS_MS.length - 1)] ?? 0;
    attempts += 1;
    cancelRetry = environment.after(wait, () => {
      cancelRetry = undefined;
      // The page wakes up when the browser is online again.
      if (!environment.page.isOffline()) pump();
    });
  }

  function retry(): void {
    cancelRetry?.();
    cancelRetry = undefined;
    pump();
  }

  return {
    show,
    pump,
    /** The oracle may be reachable again. */
    retry,
    send(id: string, message: string, sendOptions: SendOptions): Promise<void> {
      const sent = new Promise<void>((resolve, reject) => void promises.set(id, { resolve, reject }));
      try {
        batch(() => {
          queue.resume();
          void queue.add({ id, message, ...sendOptions });
          retry();
        });
      } catch (error) {
        // The message contains a value that is not JSON.
        settle(id, error);
      }
      return sent;
    },
    cancel(id: string): boolean {
      const active = runner.active();
      if (queue.isTaken(id) && active?.isRetry === true && !active.isAccepted) {
        active.isAborted = true;
        active.controller.abort();
        return true;
      }
      const isCancelled = queue.cancel(id);
      if (!isCancelled) return false;
      settle(id);
      if (id === refusedId && state.facts().status === "error") state.set({ status: "ready", error: undefined });
      return true;
    },
    resume(id?: string): void {
      batch(() => {
        queue.resume(id);
        retry();
      });
    },
    stop(): void {
      cancelRetry?.();
      cancelRetry = undefined;
    },
    /** Resolves all pending sends. */
    settleAll(): void {
      for (const id of Array.from(promises.keys())) settle(id);
    },
  };
}

/** No server answered, or the oracle reports that it is unavailable. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof OfflineError) return true;
  if (!(error instanceof RequestError) || error.status < 500) return false;
  return error.retryable ?? error.retryAfterMs !== undefined;
}

/** Whether the failure concerns only this message, not the session. */
function isAboutTheMessage(error: unknown): boolean {
  return error instanceof RequestError && [400, 409, 413, 422].includes(error.status);
}
