/**
 * Keeps what the screens show current: follows the change feed while the tab is visible and a key is there, and asks again for
 * what a change has made old. Votes are not in the feed; the votes screen follows its proposal itself.
 */
import { useQueryClient, type QueryKey } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useEffectEvent, useMemo, useRef, useState, type ReactNode } from "react";
import { api, authorizedFetch } from "../api/api.ts";
import { ApiFailure } from "../api/api-failure.ts";
import { pause } from "../kit/pause.ts";
import { useCaller } from "../session/use-caller.ts";
import { followChangeStream, type Change, type StreamStatus } from "./change-stream.ts";
import { useIsVisible } from "./use-is-visible.ts";

export interface Live {
  readonly status: StreamStatus | "off";
  /** The newest change that was seen since the page was opened. */
  readonly last: Change | undefined;
}

const LiveContext = createContext<Live>({ status: "off", last: undefined });

export function useLive(): Live {
  return useContext(LiveContext);
}

/** Calls back at each change that comes while the component is shown. */
export function useEachChange(onChange: (change: Change) => void): void {
  const { last } = useLive();
  const seen = useRef(last);
  const report = useEffectEvent(onChange);
  useEffect(() => {
    if (last === undefined || last === seen.current) return;
    seen.current = last;
    report(last);
  }, [last]);
}

/** Paths whose answers a change of some domain makes old. */
const dependent = /^\/(v1\/(domains|proposals|changes|export)|1\.0\/identifiers|graphql)/;

function isDependent({ queryKey }: { queryKey: QueryKey }): boolean {
  const [, path] = queryKey;
  return typeof path === "string" && dependent.test(path);
}

/** Milliseconds in which changes are taken together, so that an import does not ask a thousand times. */
const GATHERING = 250;
/**
 * Milliseconds from one refresh to the next, which also waits for the answers: changes without a pause neither cancel requests that
 * are on their way nor use up the reads of the key, and still show within 2 seconds.
 */
const APART = 1_000;

/** Milliseconds: longer than a page loads, and than the clocks of browser and server differ. */
const RECENT = 120_000;
/** Milliseconds between two attempts to join the feed, unless the server names more. */
const JOINING = 2_000;

export function LiveChanges({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { data: caller } = useCaller();
  const isVisible = useIsVisible();
  const [status, setStatus] = useState<Live["status"]>("off");
  const [last, setLast] = useState<Change>();
  const isFollowing = isVisible && caller !== undefined;

  useEffect(() => {
    if (!isFollowing) return setStatus("off");
    const leaving = new AbortController();
    const { signal } = leaving;
    let [isDue, isRefreshing] = [false, false];
    const refresh = async (): Promise<void> => {
      if (isRefreshing) return;
      isRefreshing = true;
      await pause(GATHERING, signal);
      while (isDue && !signal.aborted) {
        isDue = false;
        await Promise.all([queries.invalidateQueries({ predicate: isDependent }), pause(APART, signal)]);
      }
      isRefreshing = false;
    };
    const onChange = (change: Change): void => {
      setLast(change);
      isDue = true;
      void refresh();
    };
    const follow = async (): Promise<void> => {
      const feed = await readNewest(signal, () => setStatus("waiting"));
      if (signal.aborted) return;
      const after = feed?.page.nextAfter ?? 0;
      const [newest] = feed?.data ?? [];
      // What was read just before the feed was joined may lack it.
      if (newest !== undefined && Math.abs(Date.now() - Date.parse(newest.at)) < RECENT)
        void queries.invalidateQueries({ predicate: isDependent });
      await followChangeStream({
        fetch: authorizedFetch,
        after,
        signal,
        onChange,
        onStatus: setStatus,
      });
    };
    follow().catch(() => !signal.aborted && setStatus("refused"));
    return () => leaving.abort();
  }, [isFollowing, queries]);

  const live = useMemo(() => ({ status, last }), [status, last]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** Asks again while the server is busy or cannot be reached: a feed that is never joined would leave the page old for good. */
async function readNewest(signal: AbortSignal, onWaiting: () => void) {
  while (!signal.aborted) {
    try {
      const { data } = await api.GET("/v1/changes", { params: { query: { latest: 1 } }, signal });
      return typeof data === "object" ? data : undefined;
    } catch (error) {
      if (!signal.aborted && !(error instanceof ApiFailure && error.isPassing)) throw error;
      if (!signal.aborted) onWaiting();
      const seconds = error instanceof ApiFailure ? (error.retryAfter ?? 0) : 0;
      await pause(Math.max(JOINING, seconds * 1_000), signal);
    }
  }
  return undefined;
}
