/** When a page comes back: it becomes visible, returns from the browser's cache, is thawed, or is online again. */

export interface PageEvents {
  /** Calls the listener each time that the page comes back; the result ends it. */
  onWake(listener: () => void): () => void;
  isHidden(): boolean;
}

export function createPageEvents(): PageEvents {
  return {
    isHidden: () => typeof document !== "undefined" && document.visibilityState === "hidden",
    onWake(listener) {
      if (typeof document === "undefined") return () => undefined;
      const whenVisible = (): void => {
        if (document.visibilityState === "visible") listener();
      };
      document.addEventListener("visibilitychange", whenVisible);
      document.addEventListener("resume", listener);
      window.addEventListener("pageshow", listener);
      window.addEventListener("online", listener);
      return () => {
        document.removeEventListener("visibilitychange", whenVisible);
        document.removeEventListener("resume", listener);
        window.removeEventListener("pageshow", listener);
        window.removeEventListener("online", listener);
      };
    },
  };
}
