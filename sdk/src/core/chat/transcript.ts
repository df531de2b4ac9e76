/** The stored messages in a chat's state: reads them at first and after each change, and replaces turns with them. */
import type { Environment } from "../environment.ts";
import { OfflineError, RequestError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import type { MessagePage, MessageRecord } from "../wire.ts";
import type { ChatState } from "./chat-state.ts";
import { foldNewer, foldNewest, foldOlder, shownRecords, wholeTranscript, type History } from "./history.ts";
import { OFFLINE_WAITS_MS } from "./outbox.ts";
import type { LocalTurn } from "./turn.ts";

export interface TranscriptOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly pageSize: number;
  readonly state: ChatState;
  readonly environment: Environment;
  /** The running turn. */
  activeTurn(): LocalTurn | undefined;
  /** The oracle could not be reached at first, and is reachable now. */
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
    /** Reads the first page. If the oracle cannot be reached, the read is retried after the promise has resolved. */
    async first(signal: AbortSignal): Promise<void> {
      // A new loader, so that the read does not wait for a request of an earlier retain.
      loader = newLoader();
      await first(signal);
      if (!signal.aborted) state.set({ isLoading: false });
    },

    /** Reads new messages. */
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

/** Turns per page. */
export const HISTORY_PAGE_SIZE = 20;
/**
 * A cursor points after an ended turn. A page must therefore hold more turns than the maximum of concurrent ones, 6.
 */
const LEAST_NEWER = 10;
/** Maximum number of consecutive pages. A server that still has newer pages repeats itself. */
const MAX_NEWER_PAGES = 50;

interface HistoryLoaderOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly pageSize: number;
  read(): History;
  write(history: History): void;
}

/**
 * Reads a session's stored messages: first the newest page, then only newer messages, by cursor. From a server without
 * pages, it reads the whole transcript instead.
 */
interface HistoryLoader {
  /**
   * Reads new messages. A refresh that is requested during another one starts after it; several such requests are
   * merged.
   */
  refresh(signal: AbortSignal): Promise<void>;
  loadOlder(signal: AbortSignal): Promise<void>;
}

function createHistoryLoader({ http, sessionId, pageSize, read, write }: HistoryLoaderOptions): HistoryLoader {
  const id = encodeURIComponent(sessionId);
  let hasPages = true;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let older: Promise<void> | undefined;

  async function page(limit: number, cursor: string, signal: AbortSignal): Promise<MessagePage> {
    const found = await http.json<MessagePage>(`/sessions/${id}/messages?limit=${limit}${cursor}`, { signal });
    return { ...found, messages: shownRecords(found.messages) };
  }

  async function whole(signal: AbortSignal): Promise<void> {
    const { messages } = await http.json<{ messages: MessageRecord[] }>(`/messages/${id}`, { signal });
    if (!signal.aborted) write(wholeTranscript(read(), shownRecords(messages)));
  }

  async function newest(signal: AbortSignal): Promise<void> {
    try {
      // Some of the known turns may still be running.
      const turns = read().messages.length === 0 ? pageSize : Math.max(pageSize, LEAST_NEWER);
      const found = await page(turns, "", signal);
      if (!signal.aborted) write(foldNewest(read(), found));
    } catch (error) {
      const isUnknown = error instanceof RequestError && (error.status === 404 || error.status === 405);
      if (!isUnknown) throw error;
      await whole(signal);
      hasPages = false;
    }
  }

  async function newer(signal: AbortSignal): Promise<void> {
    if (!hasPages) return whole(signal);
    for (let count = 0; count < MAX_NEWER_PAGES; count += 1) {
      const { nextCursor } = read();
      if (nextCursor === null) return newest(signal);
      const found = await page(Math.max(pageSize, LEAST_NEWER), `&after=${encodeURIComponent(nextCursor)}`, signal);
      if (signal.aborted) return;
      write(foldNewer(read(), found));
      if (!found.hasNewer || found.nextCursor === nextCursor) return;
    }
  }

  async function loadOlder(signal: AbortSignal): Promise<void> {
    const { prevCursor, hasOlder } = read();
    if (!hasOlder || prevCursor === null) return;
    const found = await page(pageSize, `&before=${encodeURIComponent(prevCursor)}`, signal);
    // The known messages may have been replaced in the meantime. Then the page no longer precedes them.
    if (!signal.aborted && read().prevCursor === prevCursor) write(foldOlder(read(), found));
  }

  function refresh(signal: AbortSignal): Promise<void> {
    if (running === undefined) {
      running = newer(signal).finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh(signal);
      });
    return next;
  }

  return {
    refresh,
    loadOlder(signal) {
      older ??= loadOlder(signal).finally(() => {
        older = undefined;
      });
      return older;
    },
  };
}
