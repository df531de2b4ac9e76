/**
 * Keeps the screens current: while the tab is visible and has a key, it follows the change feed, and reloads data that a change has
 * made stale. Votes are not in the feed; the votes screen polls its proposal itself.
 */
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import {
  type ReactNode,
  createContext,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
} from "react";
import { ApiFailure } from "../api/api-failure.ts";
import { api, authorizedFetch } from "../api/api.ts";
import { pause } from "../../../shared/pause.ts";
import { useIsOnline } from "../kit/use-is-online.ts";
import { useCaller, useKeyEnd, useKeyNumber } from "../session/use-caller.ts";
import { type Change, type StreamStatus, followChangeStream } from "./change-stream.ts";

export interface Live {
  readonly status: StreamStatus | "off" | "offline";
  /** Milliseconds since 1970: the time of the last changes, while the feed is disconnected. */
  readonly asOf?: number | undefined;
  /** Called at each change. */
  readonly listeners: Set<(change: Change) => void>;
}

const LiveContext = createContext<Live>({ status: "off", listeners: new Set() });

export function useLive(): Live {
  return useContext(LiveContext);
}

/** Calls back with the changes that arrive while the component is mounted, batched. */
export function useChanges(onChanges: (changes: readonly Change[]) => void): void {
  const { listeners } = useLive();
  const report = useEffectEvent(onChanges);
  useEffect(() => {
    const together: Change[] = [];
    const listener = (change: Change): void => {
      if (together.push(change) === 1) queueMicrotask(() => report(together.splice(0)));
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listeners]);
}

/** Paths whose answers may be stale after a change of a domain. */
const dependent = /^\/(v1\/(domains|proposals|changes|export)|1\.0\/identifiers|graphql)/;

function isDependent({ queryKey }: { queryKey: QueryKey }): boolean {
  const [, path] = queryKey;
  return typeof path === "string" && dependent.test(path);
}

function hasPassingFailure({ state: { error } }: { readonly state: { readonly error: unknown } }): boolean {
  return error instanceof ApiFailure && error.isPassing;
}

/** Milliseconds in which changes are batched, so that an import does not cause a thousand refreshes. */
const COLLECTING = 250;
/**
 * Milliseconds between two refreshes; the next one also waits for the previous one's answers. A stream of changes therefore neither
 * cancels pending requests nor uses up the key's rate limit, and still shows within 2 seconds.
 */
const REFRESH_GAP = 1_000;

/** Milliseconds: a younger change may have happened while the page was loading. Clocks may differ by as much. */
const RECENT = 120_000;
/** Milliseconds between two attempts to join the feed, unless the server names more. */
const JOIN_DELAY = 2_000;

export function LiveChanges({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { data: caller } = useCaller();
  const isVisible = useIsVisible();
  const isOnline = useIsOnline();
  const [{ status, asOf }, setState] = useState<Pick<Live, "status" | "asOf">>({ status: "off" });
  const [listeners] = useState<Live["listeners"]>(() => new Set());
  const keyNumber = useKeyNumber();
  const hasEnded = useKeyEnd() !== undefined;
  const hasCaller = caller !== undefined && !hasEnded;
  const isFollowing = isVisible && isOnline && hasCaller;

  useEffect(() => {
    const setStatus = (next: Live["status"]): void => setState((before) => following(before, next, hasCaller));
    // A user without a key also waits for the network: the chat, the phone and the queries need no key.
    if (!isFollowing) return setStatus(isOnline ? "off" : "offline");
    const leaving = new AbortController();
    const { signal } = leaving;
    let [isDue, isRefreshing] = [false, false];
    const refresh = async (): Promise<void> => {
      if (isRefreshing) return;
      isRefreshing = true;
      await pause(COLLECTING, signal);
      while (isDue && !signal.aborted) {
        isDue = false;
        await Promise.all([queries.invalidateQueries({ predicate: isDependent }), pause(REFRESH_GAP, signal)]);
      }
      isRefreshing = false;
    };
    const onChange = (change: Change): void => {
      for (const listener of listeners) listener(change);
      isDue = true;
      void refresh();
    };
    const follow = async (): Promise<void> => {
      const feed = await readNewest(signal, () => setStatus("waiting"));
      if (signal.aborted) return;
      const after = feed?.page.nextAfter ?? 0;
      const [newest] = feed?.data ?? [];
      // Data read just before the feed was joined may lack this change.
      if (newest !== undefined && Math.abs(Date.now() - Date.parse(newest.at)) < RECENT)
        void queries.invalidateQueries({ predicate: isDependent });
      await followChangeStream({
        fetch: authorizedFetch,
        after,
        signal,
        onChange,
        onStatus(next) {
          setStatus(next);
          // The server is reachable: failed requests are repeated.
          if (next === "live") void queries.refetchQueries({ type: "active", predicate: hasPassingFailure });
        },
      });
    };
    follow().catch(() => !signal.aborted && setStatus("refused"));
    return () => leaving.abort();
    // Another key follows a separate feed.
  }, [isFollowing, isOnline, hasCaller, keyNumber, queries, listeners]);

  const live = useMemo(() => ({ status, asOf, listeners }), [status, asOf, listeners]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function following(
  before: Pick<Live, "status" | "asOf">,
  status: Live["status"],
  hasCaller: boolean,
): Pick<Live, "status" | "asOf"> {
  if (status === "live" || !hasCaller) return { status, asOf: undefined };
  return { status, asOf: before.status === "live" ? Date.now() : before.asOf };
}

/** Retries while the server is busy or unreachable: without the feed, the page would stay stale. */
async function readNewest(signal: AbortSignal, onWaiting: () => void) {
  while (!signal.aborted) {
    try {
      const { data } = await api.GET("/v1/changes", { params: { query: { latest: 1 } }, signal });
      return typeof data === "object" ? data : undefined;
    } catch (error) {
      if (!signal.aborted && !(error instanceof ApiFailure && error.isPassing)) throw error;
      if (!signal.aborted) onWaiting();
      const seconds = error instanceof ApiFailure ? (error.retryAfter ?? 0) : 0;
      await pause(Math.max(JOIN_DELAY, seconds * 1_000), signal);
    }
  }
  return undefined;
}

/** Whether the page is visible: a hidden tab keeps no connection and sends no requests. */
function useIsVisible(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === "visible");
}

function subscribe(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}
