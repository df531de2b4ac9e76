/**
 * Messages that are typed and not sent, by conversation. They belong to one identity and one tab: a reload keeps them, and so does
 * signing out of the registry, where the user is somebody else.
 */
export interface DraftStore {
  /** Empty if there is none. */
  readonly read: (owner: string, place: string) => string;
  /** An empty text removes it. */
  readonly keep: (owner: string, place: string, text: string) => void;
  /** Forgets those of all other identities. */
  readonly keepOnly: (owner: string) => void;
  /** Calls back after each change; returns what ends that. */
  readonly subscribe: (changed: () => void) => () => void;
}

const PREFIX = "twinedge chat draft ";

export function openDraftStore(storage: Storage): DraftStore {
  /** What the storage has no room for, which lasts as long as the page. */
  const tooLong = new Map<string, string>();
  const listeners = new Set<() => void>();
  const reportChange = (): void => {
    for (const listener of listeners) listener();
  };
  const keyOf = (owner: string, place: string): string => `${PREFIX}${owner} ${place}`;
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
    keepOnly(owner) {
      const isOfOthers = (key: string): boolean => key.startsWith(PREFIX) && !key.startsWith(keyOf(owner, ""));
      for (const key of Object.keys(storage).filter(isOfOthers)) storage.removeItem(key);
      for (const key of [...tooLong.keys()].filter(isOfOthers)) tooLong.delete(key);
      reportChange();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
