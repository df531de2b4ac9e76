/** Reads proposals with their votes and the histories of their domains: a page to look at, or everything to take away. */
import { api } from "../api/api.ts";
import { ApiFailure } from "../api/api-failure.ts";
import { pause } from "../../../shared/pause.ts";
import type { AuditSource } from "./audit-entries.ts";
import { finishedStates, proposalKinds, type Proposal } from "./proposal.ts";

/** Proposals of a page; each costs a request for its votes and one for its domain's history. */
const PROPOSALS = 20;
/** Votes of one proposal, and entries of one history, of a request. */
export const ITEMS = 100;
/** Proposals of an export: a file that spreadsheets can open, and that can be read within an hour at the rate limit of a key. */
const MOST_EXPORTED = 5_000;
/** Attempts of one request of an export while the server is busy. */
const ATTEMPTS = 5;
/** Seconds, for a server that does not say how long. */
const USUAL_WAIT = 2;

export interface AuditQuery {
  readonly domain: string;
  readonly state: string;
  readonly kind: string;
}

export interface AuditPage extends AuditSource {
  readonly nextCursor: string | null;
  /** Whether some proposal has more votes, or some domain a longer history, than was loaded. */
  readonly isCut: boolean;
}

interface Reading {
  readonly signal: AbortSignal;
  /** Whether votes and histories are read to their end. */
  readonly isWhole: boolean;
}

export async function loadPage(filter: AuditQuery, cursor: string, reading: Reading): Promise<AuditPage> {
  const state = (["open", ...finishedStates] as const).filter((each) => each === filter.state);
  const kind = proposalKinds.filter((each) => each === filter.kind);
  const query = {
    limit: PROPOSALS,
    ...(cursor === "" ? {} : { cursor }),
    ...(filter.domain === "" ? {} : { domain: [filter.domain] }),
    ...(state.length === 0 ? {} : { state }),
    ...(kind.length === 0 ? {} : { kind }),
  };
  const { signal } = reading;
  const data = await patiently(
    reading,
    async () => (await api.GET("/v1/proposals", { params: { query }, signal })).data,
  );
  const proposals: readonly Proposal[] = data?.data ?? [];
  const domains = [...new Set(proposals.map(({ domainId }) => domainId))];
  const voted = proposals.filter(({ tally }) => tally.cast > 0);
  const [votes, histories] = await Promise.all([
    Promise.all(voted.map(({ id }) => votesOf(id, reading))),
    Promise.all(domains.map((id) => historyOf(id, reading))),
  ]);
  return {
    proposals,
    votes: votes.flatMap(({ items }) => items),
    history: histories.flatMap(({ items }, at) => items.map((entry) => ({ ...entry, domainId: domains[at] ?? "" }))),
    nextCursor: data?.page.nextCursor ?? null,
    isCut: [...votes, ...histories].some(({ isCut }) => isCut),
  };
}

export interface WholeAudit extends AuditSource {
  /** Whether there are more proposals than an export contains. */
  readonly isCut: boolean;
}

/** @param onRead called with the number of proposals that are read. */
export async function loadAll(
  filter: AuditQuery,
  signal: AbortSignal,
  onRead: (proposals: number) => void,
): Promise<WholeAudit> {
  const pages: AuditPage[] = [];
  let cursor: string | null = "";
  let count = 0;
  while (cursor !== null && count < MOST_EXPORTED) {
    const page: AuditPage = await loadPage(filter, cursor, { signal, isWhole: true });
    pages.push(page);
    count += page.proposals.length;
    cursor = page.nextCursor;
    onRead(count);
  }
  return {
    proposals: pages.flatMap(({ proposals }) => proposals),
    votes: pages.flatMap(({ votes }) => votes),
    history: withoutRepeats(pages.flatMap(({ history }) => history)),
    isCut: cursor !== null,
  };
}

/** Two pages may contain proposals on one domain, and so its history twice. */
export function withoutRepeats(history: AuditSource["history"]): AuditSource["history"] {
  return [...new Map(history.map((entry) => [`${entry.domainId} ${entry.version}`, entry])).values()];
}

function votesOf(pid: string, reading: Reading) {
  const { signal } = reading;
  return allOf(reading, async (cursor) => {
    const params = { path: { pid }, query: { limit: ITEMS, ...cursor } };
    return (await api.GET("/v1/proposals/{pid}/votes", { params, signal })).data;
  });
}

function historyOf(id: string, reading: Reading) {
  const { signal } = reading;
  return allOf(reading, async (cursor) => {
    const params = { path: { id }, query: { limit: ITEMS, ...cursor } };
    return (await api.GET("/v1/domains/{id}/history", { params, signal })).data;
  });
}

interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: { readonly nextCursor: string | null };
}

/** The first page of a list, or all of it. */
async function allOf<Item>(
  reading: Reading,
  ask: (cursor: { readonly cursor?: string }) => Promise<Page<Item> | undefined>,
): Promise<{ readonly items: readonly Item[]; readonly isCut: boolean }> {
  const items: Item[] = [];
  let cursor: string | null = "";
  do {
    const from: { readonly cursor?: string } = cursor === "" ? {} : { cursor };
    const page: Page<Item> | undefined = await patiently(reading, () => ask(from));
    items.push(...(page?.data ?? []));
    cursor = page?.page.nextCursor ?? null;
  } while (cursor !== null && reading.isWhole);
  return { items, isCut: cursor !== null };
}

/** An export waits while the server is busy; a view on the screen fails and shows the error. */
async function patiently<Answer>({ signal, isWhole }: Reading, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isWhole || !(error instanceof ApiFailure) || !error.isPassing || attempt === ATTEMPTS) throw error;
      await pause((error.retryAfter ?? USUAL_WAIT) * 1_000, signal);
      signal.throwIfAborted();
    }
  }
}
