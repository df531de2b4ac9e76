/** The lists of sessions that a page has read, by user and oracle. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { OracleClient } from "../core/oracle-client.ts";

/** One session of the user with an oracle. */
export interface IChatSession {
  sessionId: string;
  title: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** ISO 8601. */
  createdAt: string;
  oracleName: string;
  roomId?: string;
}

export interface SessionPage {
  sessions: IChatSession[];
  /** The number of sessions on all pages. */
  total?: number;
}

export type SessionPages = InfiniteData<SessionPage, number>;

/** Every key contains the user, so that another user sees no cached data. */
export function sessionListsKey(userDid: string, oracleDid: string): readonly unknown[] {
  return ["twinedge", "sessions", userDid, oracleDid];
}

/** The records have more members than the type of the list. */
export async function readSessions(client: OracleClient, limit: number, offset: number): Promise<SessionPage> {
  const { sessions, total } = await client.sessions.list({ limit, offset, isBackground: true });
  return { sessions: [...sessions], total };
}

/** The sessions of all pages. A session that has moved to an earlier page appears once. */
export function sessionsOf(pages: readonly SessionPage[]): IChatSession[] {
  const seen = new Set<string>();
  return pages
    .flatMap(({ sessions }) => sessions)
    .filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

/**
 * Puts the newest page before the pages that were read earlier. After a turn that changed the title and time of one
 * session, no other page must be read. Undefined if the lists do not match; then all pages must be read again.
 */
export function withNewest(pages: readonly SessionPage[], newest: SessionPage): SessionPage[] | undefined {
  const fresh = new Set(newest.sessions.map(({ sessionId }) => sessionId));
  const [first, ...others] = pages.map((page) => ({
    ...page,
    sessions: page.sessions.filter(({ sessionId }) => !fresh.has(sessionId)),
    total: newest.total ?? 0,
  }));
  const merged = [{ ...newest, sessions: [...newest.sessions, ...(first?.sessions ?? [])] }, ...others];
  const count = sessionsOf(merged).length;
  const wasWhole = sessionsOf(pages).length >= (pages[0]?.total ?? 0);
  return count > (newest.total ?? 0) || (wasWhole && count < (newest.total ?? 0)) ? undefined : merged;
}

/**
 * After a turn, reads the newest page of the visible lists again. All other lists are read when they become visible.
 */
export async function refreshSessionLists(queries: QueryClient, client: OracleClient): Promise<void> {
  const queryKey = sessionListsKey(client.userDid, client.oracleDid);
  await queries.invalidateQueries({ queryKey, refetchType: "none" });
  for (const query of queries.getQueryCache().findAll({ queryKey, type: "active" })) {
    const list = query.state.data as SessionPages | undefined;
    const limit = query.queryKey.at(-1) as number;
    const newest = await readSessions(client, limit, 0);
    const pages = list === undefined ? undefined : withNewest(list.pages, newest);
    if (list === undefined || pages === undefined) await queries.invalidateQueries({ queryKey: query.queryKey });
    else queries.setQueryData<SessionPages>(query.queryKey, { ...list, pages });
  }
}
