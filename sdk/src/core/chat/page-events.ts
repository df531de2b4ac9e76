/** When a page comes back: it becomes visible, returns from the browser's cache, is thawed, or is online again. */

export interface PageEvents {
  /** Calls the listener each time that the page comes back; the result ends it. */
  onWake(listener: () => void): () => void;
  isHidden(): boolean;
}

type Listening = Pick<EventTarget, "addEventListener" | "removeEventListener">;

/** What a page has, and a server or a worker has not. */
interface PageGlobals extends Listening {
  readonly document?: Listening & { readonly visibilityState: string };
}

export function createPageEvents(): PageEvents {
  const page = globalThis as unknown as PageGlobals;
  return {
    isHidden: () => page.document?.visibilityState === "hidden",
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
