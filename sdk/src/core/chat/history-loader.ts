/**
 * Reads a session's stored messages: first the newest page, then only what is newer, by cursor. A server without pages is
 * asked for the whole transcript instead.
 */
import { RequestError } from "../errors.ts";
import type { OracleHttp } from "../http.ts";
import type { MessagePage, MessageRecord } from "../wire.ts";
import { shownRecords } from "./record-message.ts";
import { foldNewer, foldNewest, foldOlder, wholeTranscript, type History } from "./history.ts";

/** Turns on a page. */
export const HISTORY_PAGE_SIZE = 20;
/** A cursor stands behind a turn that has ended, so a page holds more turns than can be under way at once: 6. */
const LEAST_NEWER = 10;
/** So many pages are read after another; a server that still has newer ones then repeats itself. */
const MAX_NEWER_PAGES = 50;

export interface HistoryLoaderOptions {
  readonly http: Pick<OracleHttp, "json">;
  readonly sessionId: string;
  readonly pageSize: number;
  read(): History;
  write(history: History): void;
}

export interface HistoryLoader {
  /** Reads what is new. One that is asked for while another one runs begins behind it; those asked for meanwhile are one. */
  refresh(signal: AbortSignal): Promise<void>;
  loadOlder(signal: AbortSignal): Promise<void>;
}

export function createHistoryLoader({ http, sessionId, pageSize, read, write }: HistoryLoaderOptions): HistoryLoader {
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
      // Of what is known some may still run.
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
    // What is known may have been replaced meanwhile: then the page is not the one before it.
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
