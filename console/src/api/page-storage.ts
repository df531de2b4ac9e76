/** The browser's storage, or if the browser blocks site data, a memory that lasts as long as the page. */

/** The members that the page uses. */
export type PageStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** @param open returns `sessionStorage` or `localStorage`, and throws if site data is blocked. */
export function openPageStorage(open: () => Storage): PageStorage {
  try {
    return open();
  } catch {
    return memoryStorage();
  }
}

/** Whether the browser stores nothing for this page. */
export const isBlocked = (storage: PageStorage): boolean => !("clear" in storage);

/** Removes each item with a matching name. */
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
