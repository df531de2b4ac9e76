/** When a page comes back: it becomes visible, returns from the browser's cache, is thawed, or is online again. */

export interface PageEvents {
  /** Calls the listener each time that the page comes back; the result ends it. */
  onWake(listener: () => void): () => void;
  isHidden(): boolean;
  /** The browser has no network at all; `onWake` tells when it has one again. */
  isOffline(): boolean;
}

type Listening = Pick<EventTarget, "addEventListener" | "removeEventListener">;

/** What a page has, and a server or a worker has not. */
interface PageGlobals extends Listening {
  readonly document?: Listening & { readonly visibilityState: string };
  readonly navigator?: { readonly onLine?: boolean };
}

export function createPageEvents(): PageEvents {
  const page = globalThis as unknown as PageGlobals;
  return {
    isHidden: () => page.document?.visibilityState === "hidden",
    isOffline: () => page.navigator?.onLine === false,
    onWake(listener) {
      const { document } = page;
      if (document === undefined) return () => undefined;
      const whenVisible = (): void => {
        if (document.visibilityState === "visible") listener();
      };
      document.addEventListener("visibilitychange", whenVisible);
      document.addEventListener("resume", listener);
      page.addEventListener("pageshow", listener);
      page.addEventListener("online", listener);
      return () => {
        document.removeEventListener("visibilitychange", whenVisible);
        document.removeEventListener("resume", listener);
        page.removeEventListener("pageshow", listener);
        page.removeEventListener("online", listener);
      };
    },
  };
}
