/**
 * Unsent input, by its place: a conversation, or a question in one (`placeOf`). Drafts belong to one identity and one tab. They
 * survive a reload, and signing out of the registry, which has another user.
 */
import { removeItems, type PageStorage } from "../api/page-storage.ts";

export interface DraftStore {
  /** Empty if there is none. */
  readonly read: (owner: string, place: string) => string;
  /** An empty text removes it. */
  readonly keep: (owner: string, place: string, text: string) => void;
  /** Deletes the draft of a conversation and the drafts of its questions. */
  readonly forget: (owner: string, sessionId: string) => void;
  /** Deletes the drafts of all other identities. */
  readonly keepOnly: (owner: string) => void;
  /** Calls back after each change; the returned function unsubscribes. */
  readonly subscribe: (changed: () => void) => () => void;
}

const PREFIX = "twinedge chat draft ";

export const placeOf = (sessionId: string, questionId: string): string => `${sessionId} ${questionId}`;

export function openDraftStore(storage: PageStorage): DraftStore {
  /** Drafts that do not fit the storage; they last as long as the page. */
  const tooLong = new Map<string, string>();
  const listeners = new Set<() => void>();
  const reportChange = (): void => {
    for (const listener of listeners) listener();
  };
  const keyOf = (owner: string, place: string): string => `${PREFIX}${owner} ${place}`;
  const remove = (isDoomed: (key: string) => boolean): void => {
    removeItems(storage, isDoomed);
    for (const key of [...tooLong.keys()].filter(isDoomed)) tooLong.delete(key);
    reportChange();
  };
  return {
    read: (owner, place) => tooLong.get(keyOf(owner, place)) ?? storage.getItem(keyOf(owner, place)) ?? "",
    keep(owner, place, text) {
      const key = keyOf(owner, place);
      tooLong.delete(key);
      try {
        if (text === "") storage.removeItem(key);
        else storage.setItem(key, text);
      } catch {
        tooLong.set(key, text);
      }
      reportChange();
    },
    forget(owner, sessionId) {
      const key = keyOf(owner, sessionId);
      remove((each) => each === key || each.startsWith(placeOf(key, "")));
    },
    keepOnly: (owner) => remove((key) => key.startsWith(PREFIX) && !key.startsWith(keyOf(owner, ""))),
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
