/** `localStorage` where there is one and the page may use it: reading the very property throws where it may not. */
export function pageStore(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
