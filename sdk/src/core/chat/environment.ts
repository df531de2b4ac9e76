/** What a chat takes from its page: time, timers, locks, and what happens to the page. Tests bring their own. */
import { createPageEvents, type PageEvents } from "./page-events.ts";

/** The part of `navigator.locks` that is used. */
export interface Locks {
  request(name: string, options: { readonly signal?: AbortSignal }, work: () => Promise<void>): Promise<void>;
}

/** What a page has, and a server or a worker may not have. */
interface PageGlobals {
  readonly navigator?: { readonly locks?: Locks };
  readonly requestAnimationFrame?: (work: () => void) => number;
  readonly cancelAnimationFrame?: (frame: number) => void;
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
