/** What a chat takes from its page: time, timers, locks, and what happens to the page. Tests bring their own. */
import { createPageEvents, type PageEvents } from "./page-events.ts";

export interface Environment {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work once after that many milliseconds; the result cancels it. */
  after(milliseconds: number, work: () => void): () => void;
  /** Runs the work before the next time that the page is drawn; undefined where nothing is drawn. */
  readonly frame: ((work: () => void) => () => void) | undefined;
  readonly page: PageEvents;
  /** Web Locks, where there are any. */
  readonly locks: Pick<LockManager, "request"> | undefined;
  newId(): string;
}

export function pageEnvironment(): Environment {
  const hasFrames = typeof requestAnimationFrame === "function";
  return {
    now: () => Date.now(),
    after(milliseconds, work) {
      const timer = setTimeout(work, milliseconds);
      return () => clearTimeout(timer);
    },
    frame: hasFrames
      ? (work) => {
          const frame = requestAnimationFrame(work);
          return () => cancelAnimationFrame(frame);
        }
      : undefined,
    page: createPageEvents(),
    locks: typeof navigator === "undefined" ? undefined : navigator.locks,
    newId,
  };
}

/** A UUID; `crypto.randomUUID` is missing on pages without https. */
function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
