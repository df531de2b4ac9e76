/** The stored messages in a chat's state: read first, read again whenever something is new, and turns that they replace. */
import { OfflineError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import type { ChatState } from "./chat-state.ts";
import type { LocalTurn } from "./conversation.ts";
import type { Environment } from "./environment.ts";
import { createHistoryLoader, type HistoryLoader } from "./history-loader.ts";
import { OFFLINE_WAITS_MS } from "./outbox.ts";

export interface TranscriptOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly pageSize: number;
  readonly state: ChatState;
  readonly environment: Environment;
  /** The turn that is under way. */
  activeTurn(): LocalTurn | undefined;
  /** The oracle could not be reached at first, and now it was. */
  onReached(signal: AbortSignal): void;
}

export function createTranscript({
  http,
  sessionId,
  pageSize,
  state,
  environment,
  activeTurn,
  onReached,
}: TranscriptOptions) {
  const newLoader = (): HistoryLoader =>
    createHistoryLoader({ http, sessionId, pageSize, read: state.history, write: state.setHistory });
  let loader = newLoader();

  async function read(signal: AbortSignal): Promise<void> {
    const active = activeTurn();
    const ended = state.turns().filter((turn) => turn !== active);
    await loader.refresh(signal);
    if (signal.aborted) return;
    state.notRead(undefined);
    const now = activeTurn();
    for (const turn of ended) turn.isSettled = turn !== now;
    if (ended.length > 0) state.turnChanged();
    state.tidy((turn) => turn === now);
  }

  async function first(signal: AbortSignal, attempt = 0): Promise<void> {
    try {
      await read(signal);
      if (attempt > 0) onReached(signal);
    } catch (error) {
      if (signal.aborted) return;
      state.notRead(error);
      if (!(error instanceof OfflineError)) return;
      const wait = OFFLINE_WAITS_MS[Math.min(attempt, OFFLINE_WAITS_MS.length - 1)] ?? 0;
      const cancel = environment.after(wait, () => {
        // The page wakes up, and reads, when the browser is online again.
        if (!environment.page.isOffline()) void first(signal, attempt + 1);
      });
      signal.addEventListener("abort", cancel, { once: true });
    }
  }

  return {
    /** The first page; while the oracle cannot be reached it is asked for again, behind the promise. */
    async first(signal: AbortSignal): Promise<void> {
      // Not behind a request of an earlier life.
      loader = newLoader();
      await first(signal);
      if (!signal.aborted) state.set({ isLoading: false });
    },

    /** What is new. */
    async refresh(signal: AbortSignal): Promise<void> {
      try {
        await read(signal);
      } catch (error) {
        if (!signal.aborted) state.notRead(error);
      }
    },

    async older(signal: AbortSignal): Promise<void> {
      state.set({ isLoadingEarlier: true });
      try {
        await loader.loadOlder(signal);
        state.notRead(undefined);
      } catch (error) {
        if (!signal.aborted) state.notRead(error);
      }
      state.set({ isLoadingEarlier: false });
    },
  };
}
