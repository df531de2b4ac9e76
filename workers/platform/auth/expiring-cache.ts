/**
 * A bounded memory of things that go stale: verdicts, resolved keys, discovered audiences. Lives in one isolate. The
 * oldest entry leaves when it is full; an entry that is written again counts as new.
 */
export interface ExpiringCache<Value> {
  get(key: string): Value | undefined;
  /** `until` in milliseconds since 1970: from that moment on the entry is gone. */
  set(key: string, value: Value, until: number): void;
  delete(key: string): void;
}

/** `clock` answers milliseconds since 1970. */
export function createExpiringCache<Value>(capacity: number, clock: () => number): ExpiringCache<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock() < entry.until) return entry.value;
      entries.delete(key);
      return undefined;
    },
    set(key, value, until) {
      entries.delete(key);
      entries.set(key, { value, until });
      if (entries.size <= capacity) return;
      const oldest = entries.keys().next();
      if (oldest.done !== true) entries.delete(oldest.value);
    },
    delete: (key) => void entries.delete(key),
  };
}
