/** Files attached to unsent messages, by conversation: in memory, as long as the page is open. */

export interface AttachedFile {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** An image's address within the page. */
  readonly preview?: string | undefined;
  readonly state:
    | { readonly kind: "sending" }
    | { readonly kind: "ready"; readonly mxcUri: string }
    | { readonly kind: "failed"; readonly reason: string };
}

const NONE: readonly AttachedFile[] = [];

export function openAttachedFiles() {
  const places = new Map<string, readonly AttachedFile[]>();
  const listeners = new Set<() => void>();
  const read = (place: string): readonly AttachedFile[] => places.get(place) ?? NONE;
  function write(place: string, files: readonly AttachedFile[]): void {
    if (files.length === 0) places.delete(place);
    else places.set(place, files);
    for (const listener of listeners) listener();
  }
  return {
    read,
    add: (place: string, files: readonly AttachedFile[]): void => write(place, [...read(place), ...files]),
    /** A file that was removed meanwhile stays removed. */
    change: (place: string, key: string, state: AttachedFile["state"]): void =>
      write(
        place,
        read(place).map((file) => (file.key === key ? { ...file, state } : file)),
      ),
    remove: (place: string, key: string): void =>
      write(
        place,
        read(place).filter((file) => file.key !== key),
      ),
    /** Takes the files that can be sent; others stay. */
    takeReady(place: string): readonly AttachedFile[] {
      const ready = read(place).filter(({ state }) => state.kind === "ready");
      if (ready.length > 0)
        write(
          place,
          read(place).filter((file) => !ready.includes(file)),
        );
      return ready;
    },
    subscribe(changed: () => void): () => void {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
