/** This tab's queries, newest first: the address of each with its result. The history ends with the tab and contains no key. */
import { parsedJson } from "../../../shared/json-members.ts";

export interface AskedQuery {
  /** Query string of the screen's address. */
  readonly search: string;
  readonly method: string;
  readonly target: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface QueryHistory {
  readonly read: () => readonly AskedQuery[];
  /** Puts it first; removes an earlier equal query. */
  readonly add: (asked: AskedQuery) => void;
  readonly clear: () => void;
  readonly subscribe: (changed: () => void) => () => void;
}

/** Queries that a tab keeps. */
export const KEPT = 50;
/** Maximum characters of an address; a longer one, with a large body, is not stored. */
const LONGEST = 4_000;
const STORAGE_KEY = "twinedge console queries";

export function openQueryHistory(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">): QueryHistory {
  const listeners = new Set<() => void>();
  let current = parse(storage.getItem(STORAGE_KEY));
  const replace = (next: readonly AskedQuery[]): void => {
    current = next;
    if (next.length === 0) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return {
    read: () => current,
    add(asked) {
      if (asked.search.length > LONGEST) return;
      replace([asked, ...current.filter(({ search }) => search !== asked.search)].slice(0, KEPT));
    },
    clear: () => replace([]),
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

function parse(text: string | null): readonly AskedQuery[] {
  const value = parsedJson(text ?? "");
  return Array.isArray(value) ? (value as readonly AskedQuery[]) : [];
}
