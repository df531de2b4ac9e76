/** The parts of the page that a chat uses: time, timers, locks, storage and page events. Tests provide their own. */

/** The used part of `navigator.locks`. */
export interface Locks {
  request(name: string, options: { readonly signal?: AbortSignal }, work: () => Promise<void>): Promise<void>;
}

/**
 * Reports when a page becomes active: it becomes visible, returns from the browser's cache, is unfrozen, or is online
 * again.
 */
export interface PageEvents {
  /** Calls the listener each time the page becomes active. The returned function unsubscribes it. */
  onWake(listener: () => void): () => void;
  isHidden(): boolean;
  /** The browser has no network. `onWake` reports when it is online again. */
  isOffline(): boolean;
}

export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work once after that many milliseconds. The returned function cancels it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Runs the work before the next repaint; undefined if the environment has no display. */
  readonly frame: ((work: () => void) => () => void) | undefined;
  readonly page: PageEvents;
  /** Web Locks, if the browser has them. */
  readonly locks: Locks | undefined;
  newId(): string;
}

export function pageEnvironment(): Environment {
  const page = globalThis as unknown as PageGlobals;
  return {
    now: () => Date.now(),
    after(milliseconds, work) {
      const timer = setTimeout(work, milliseconds);
      return () => clearTimeout(timer);
    },
    frame:
      page.requestAnimationFrame === undefined
        ? undefined
        : (work) => {
            const frame = page.requestAnimationFrame?.(work) ?? 0;
            return () => page.cancelAnimationFrame?.(frame);
          },
    page: createPageEvents(),
    locks: page.navigator?.locks,
    newId,
  };
}

/** A UUID, even on pages without https, where `crypto.randomUUID` is missing. */
function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Listening = Pick<EventTarget, "addEventListener" | "removeEventListener">;

/** Globals of a page that a server or a worker may lack. */
interface PageGlobals extends Listening {
  readonly document?: Listening & { readonly visibilityState: string };
  readonly navigator?: { readonly locks?: Locks; readonly onLine?: boolean };
  readonly requestAnimationFrame?: (work: () => void) => number;
  readonly cancelAnimationFrame?: (frame: number) => void;
}

function createPageEvents(): PageEvents {
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

/** The page's storage between visits; null on a server, and if the browser forbids it. */
export function pageStore(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
