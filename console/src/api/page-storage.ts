/** The browser's storage, or a memory that lasts as long as the page where the browser blocks site data. */

/** What the page uses of it. */
export type PageStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** @param open reads `sessionStorage` or `localStorage`, which throws where site data is blocked. */
export function openPageStorage(open: () => Storage): PageStorage {
  try {
    return open();
  } catch {
    return memoryStorage();
  }
}

/** Whether the browser keeps nothing for this page. */
export const isBlocked = (storage: PageStorage): boolean => !("clear" in storage);

/** Removes each item whose name is doomed. */
export function removeItems(storage: PageStorage, isDoomed: (name: string) => boolean): void {
  const names = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  for (const name of names.filter(isDoomed)) storage.removeItem(name);
}

function memoryStorage(): PageStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, value) => void items.set(name, value),
    removeItem: (name) => void items.delete(name),
    key: (at) => [...items.keys()][at] ?? null,
    get length() {
      return items.size;
    },
  };
}
