/** Keeps the newest entries of what goes over the wire, for the devtools to show. */
import type { InspectedEntry } from "../core/client-settings.ts";

/** Entries; at the limit of one detail that is 2 MB. */
export const MAX_ENTRIES = 500;
/** Milliseconds: a stream brings hundreds of frames a second, and nobody reads faster. */
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
  /** How many entries of this kind and name came one after the other; the detail is the last one's. */
  readonly count: number;
  /** JSON without tokens, cut to a bounded length. */
  readonly detail: string;
}

/** The newest entries, and the function that takes them. */
export interface Inspector {
  /** For `inspect` of `OraclesProvider` or of a client. Undefined in production, where nothing is kept. */
  readonly inspect: ((entry: InspectedEntry) => void) | undefined;
  subscribe(listener: () => void): () => void;
  /** The newest entries, oldest first. The same list until a listener is called. */
  getSnapshot(): readonly KeptEntry[];
  clear(): void;
}

/** Frames of a stream of text, which would push everything else out. */
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
      // What came while nobody listened.
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

/** Characters of JSON: enough for what a person reads, little enough for hundreds of entries. */
export const MAX_DETAIL_LENGTH = 4096;
/** Characters without a break; tokens are longer than a thousand, ids and words shorter. */
export const MAX_UNBROKEN_LENGTH = 120;

const SECRET_NAME = /authorization|token|invocation|delegation|secret|password|cookie|credential|^key$|^k$/i;
const UNBROKEN = new RegExp(String.raw`[\w+/=.~-]{${MAX_UNBROKEN_LENGTH},}`, "g");
const LEFT_OUT = "[left out]";

/**
 * The detail as text of a bounded length without anything that signs a user in. The SDK leaves tokens out of its own entries; this is for
 * what an application writes itself. It never throws: what cannot be written as JSON is named so.
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

/** Names may be a request's path, which is the caller's text too. */
function withoutUnbroken(text: string): string {
  return text.replaceAll(UNBROKEN, LEFT_OUT);
}

/** The entries, and the function that takes them, which is always there. */
export type Recorder = Inspector & { readonly inspect: NonNullable<Inspector["inspect"]> };

/**
 * Keeps the newest entries of what goes between the page and its oracles, as `createInspector` does, but in production too: for an
 * application that has an inspector of its own for its users. It holds no token.
 *
 * @example
 * const recorder = createRecorder();
 * <OraclesProvider inspect={recorder.inspect} {...wallet} />;
 * recorder.subscribe(() => draw(recorder.getSnapshot()));
 */
export function createRecorder(): Recorder {
  return createInspector();
}
