/** Stores the newest traffic for the devtools. */
import type { InspectedEntry } from "../core/client-settings.ts";

/** Number of entries. With the limit of one detail, they take up to 2 MB. */
export const MAX_ENTRIES = 500;
/** Milliseconds. A stream has hundreds of frames a second, faster than a person can read. */
const SHOWN_EVERY_MS = 100;

/** One entry as the devtools show it. */
export interface KeptEntry {
  /** Grows with each entry. */
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: InspectedEntry["kind"];
  readonly name: string;
  readonly sessionId: string | undefined;
  /** The number of consecutive entries with this kind and name. The detail belongs to the last one. */
  readonly count: number;
  /** JSON without tokens, with a limited length. */
  readonly detail: string;
}

/** The newest entries, and the function that receives them. */
export interface Inspector {
  /** Pass it to `inspect` of `OraclesProvider` or of a client. Undefined in production, where nothing is recorded. */
  readonly inspect: ((entry: InspectedEntry) => void) | undefined;
  subscribe(listener: () => void): () => void;
  /** The newest entries, oldest first. The list keeps its identity until a listener is called. */
  getSnapshot(): readonly KeptEntry[];
  clear(): void;
}

/** Frames of streamed text, which would otherwise push out all other entries. */
const isJoined = (kept: KeptEntry, entry: InspectedEntry): boolean =>
  entry.kind === "frame" &&
  kept.kind === "frame" &&
  kept.name === entry.name &&
  kept.sessionId === entry.sessionId &&
  (entry.name === "message" || entry.name === "reasoning");

export function createInspector(): Inspector & { readonly inspect: NonNullable<Inspector["inspect"]> } {
  const listeners = new Set<() => void>();
  let entries: KeptEntry[] = [];
  let shown: readonly KeptEntry[] = entries;
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    timer = undefined;
    shown = [...entries];
    for (const listener of listeners) listener();
  }

  function changed(): void {
    if (listeners.size > 0) timer ??= setTimeout(show, SHOWN_EVERY_MS);
  }

  return {
    inspect(entry) {
      const { at, kind, name, sessionId, detail } = entry;
      const last = entries.at(-1);
      const isNext = last !== undefined && isJoined(last, entry);
      const kept: KeptEntry = {
        id: isNext ? last.id : (count += 1),
        at,
        kind,
        name: withoutUnbroken(name),
        sessionId,
        count: isNext ? last.count + 1 : 1,
        detail: redacted(detail),
      };
      if (isNext) entries[entries.length - 1] = kept;
      else entries.push(kept);
      if (entries.length > MAX_ENTRIES) entries.shift();
      changed();
    },
    subscribe(listener) {
      listeners.add(listener);
      // Entries that arrived while there was no listener.
      changed();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    getSnapshot: () => shown,
    clear() {
      entries = [];
      changed();
    },
  };
}

/** Characters of JSON: enough for a person to read, small enough for hundreds of entries. */
export const MAX_DETAIL_LENGTH = 4096;
/** Characters without a break. Tokens have more than a thousand; ids and words have fewer than this. */
export const MAX_UNBROKEN_LENGTH = 120;

const SECRET_NAME = /authorization|token|invocation|delegation|secret|password|cookie|credential|^key$|^k$/i;
const UNBROKEN = new RegExp(String.raw`[\w+/=.~-]{${MAX_UNBROKEN_LENGTH},}`, "g");
const LEFT_OUT = "[left out]";

/**
 * The detail as text of limited length, without tokens. The SDK removes tokens from its own entries; this function
 * protects entries that an application writes. It never throws: a value that is not JSON is replaced by a description.
 */
export function redacted(detail: unknown): string {
  if (detail === undefined) return "";
  try {
    const text = JSON.stringify(
      detail,
      (name, value: unknown) => {
        if (SECRET_NAME.test(name) && value !== null && typeof value !== "boolean" && typeof value !== "number")
          return LEFT_OUT;
        return typeof value === "string" ? withoutUnbroken(value) : value;
      },
      2,
    );
    return text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH)}…` : text;
  } catch {
    return "[cannot be shown]";
  }
}

/** A name may be a request's path, which also contains the caller's text. */
function withoutUnbroken(text: string): string {
  return text.replaceAll(UNBROKEN, LEFT_OUT);
}

/** The entries, and the function that receives them, which is always defined. */
export type Recorder = Inspector & { readonly inspect: NonNullable<Inspector["inspect"]> };

/**
 * Records the newest traffic between the page and its oracles, like `createInspector`, but also in production. Use it
 * if your application shows its own inspector to users. The entries contain no tokens.
 *
 * @example
 * const recorder = createRecorder();
 * <OraclesProvider inspect={recorder.inspect} {...wallet} />;
 * recorder.subscribe(() => draw(recorder.getSnapshot()));
 */
export function createRecorder(): Recorder {
  return createInspector();
}
