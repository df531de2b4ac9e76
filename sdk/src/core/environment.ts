/** What a chat takes from its page: time, timers, locks, its storage, and what happens to the page. Tests bring their own. */

/** The part of `navigator.locks` that is used. */
export interface Locks {
  request(name: string, options: { readonly signal?: AbortSignal }, work: () => Promise<void>): Promise<void>;
}

/** When a page comes back: it becomes visible, returns from the browser's cache, is thawed, or is online again. */
export interface PageEvents {
  /** Calls the listener each time that the page comes back; the result ends it. */
  onWake(listener: () => void): () => void;
  isHidden(): boolean;
  /** The browser has no network at all; `onWake` tells when it has one again. */
  isOffline(): boolean;
}

export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work once after that many milliseconds; the result cancels it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Runs the work before the next time that the page is drawn; undefined where nothing is drawn. */
  readonly frame: ((work: () => void) => () => void) | undefined;
  readonly page: PageEvents;
  /** Web Locks, where there are any. */
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

/** A UUID; `crypto.randomUUID` is missing on pages without https. */
function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Listening = Pick<EventTarget, "addEventListener" | "removeEventListener">;

/** What a page has, and a server or a worker may not have. */
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

/** Where the page keeps texts between visits; null on a server, and where the browser forbids it. */
export function pageStore(): Storage | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}
